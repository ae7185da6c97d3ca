// The manual as a site: .ci/manual renders it. A page of a folder is in the sidebar because it is there.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const manual = fileURLToPath(new URL('..', import.meta.url))
const read = (page) => readFileSync(manual + page, 'utf8')
const index = read('README.md')

const capitalized = (text) => text[0].toUpperCase() + text.slice(1)

// As the index calls it, or else by its first heading
const titleOf = (page) => {
  const link = index.match(new RegExp(`\\[([^\\]]+)\\]\\(${page.replaceAll('.', '\\.')}\\)`))
  return capitalized(link ? link[1] : read(page).match(/^# (.*)$/m)[1])
}

// Where the index has it; pages that it does not name come last
const placeOf = (page) => {
  const place = index.indexOf(`(${page})`)
  return place < 0 ? index.length : place
}

const pagesOf = (folder) =>
  readdirSync(manual + folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => folder + file)
    .sort((one, other) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1))

const linkTo = (page) => '/' + page.replace(/(README)?\.md$/, '')

const section = (text, ...folders) => ({
  text,
  collapsed: false,
  items: folders.flatMap(pagesOf).map((page) => ({ text: titleOf(page), link: linkTo(page) })),
})

export default {
  title: 'Limiter',
  description: 'Rate limits for Spring Boot',
  cleanUrls: false,
  rewrites: {
    'README.md': 'index.md',
    'operations/README.md': 'operations/index.md',
    'internals/decisions/README.md': 'internals/decisions/index.md',
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      ...pagesOf('')
        .filter((page) => page !== 'README.md')
        .map((page) => ({ text: titleOf(page), link: linkTo(page) })),
      section('Guides', 'guides/'),
      section('Monitoring', 'operations/'),
      section('Coming from another library', 'migration/'),
      section('Reference', 'reference/'),
      section('For maintainers', 'internals/', 'internals/decisions/'),
    ],
  },
}
