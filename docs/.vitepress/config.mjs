// The manual as a site: .ci/manual renders it.
const guides = [
  ['Limits by annotation', 'annotation'],
  ['Rules for paths', 'path-rules'],
  ['A limit for every endpoint', 'automatic-limit'],
  ['Before Spring Security', 'before-security'],
  ['Keys', 'keys'],
  ['Behind a proxy', 'behind-a-proxy'],
  ['Tiers', 'tiers'],
  ['What is charged', 'charging'],
  ['Exempt, denied, banned', 'exempt-deny-ban'],
  ['Choosing an algorithm', 'choosing-an-algorithm'],
  ['Where windows begin', 'windows-and-calendar'],
  ['How many at once', 'concurrency'],
  ['Waiting instead of refusing', 'waiting'],
  ['Shadow mode', 'shadow-mode'],
  ['Switches', 'configuration'],
  ['Redis', 'redis'],
  ['The answer', 'the-answer'],
  ['With the rest of Spring', 'with-the-rest-of-spring'],
  ['Without Spring', 'without-spring'],
  ['Extending', 'extending'],
  ['Limits in tests', 'testing'],
]
const reference = [
  ['Configuration', 'configuration'],
  ['Annotation', 'annotation'],
  ['Key grammar', 'key-grammar'],
  ['Headers and body', 'headers-and-body'],
  ['Metrics', 'metrics'],
  ['Guarantees', 'guarantees'],
  ['Messages', 'messages'],
]
const explanation = [
  ['Algorithms', 'algorithms'],
  ['Architecture', 'architecture'],
  ['Redis inside', 'redis-inside'],
  ['Performance', 'performance'],
  ['Choices: storage', 'decisions/storage'],
  ['Choices: Redis', 'decisions/redis'],
  ['Choices: waiting', 'decisions/waiting'],
  ['Choices: rules', 'decisions/rules'],
  ['Choices: edges', 'decisions/edges'],
]
const section = (text, folder, pages) => ({
  text,
  items: pages.map(([title, page]) => ({ text: title, link: `/${folder}/${page}` })),
})

export default {
  title: 'Limiter',
  description: 'Rate limits for Spring Boot',
  cleanUrls: false,
  rewrites: { 'README.md': 'index.md' },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      { text: 'Getting started', link: '/getting-started' },
      section('Guides', 'guides', guides),
      section('Reference', 'reference', reference),
      section('Explanation', 'explanation', explanation),
    ],
  },
}
