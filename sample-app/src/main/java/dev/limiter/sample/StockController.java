package dev.limiter.sample;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class StockController {

    private final StockService stock;

    StockController(StockService stock) {
        this.stock = stock;
    }

    @GetMapping("/stock/available")
    int available() {
        return stock.available();
    }

    @GetMapping("/stock/reserved")
    int reserved() {
        return stock.reserved();
    }
}
