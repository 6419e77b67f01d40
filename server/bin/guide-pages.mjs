import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import highlighter from 'highlight.js/lib/common'
import markdownIt from 'markdown-it'
import anchor from 'markdown-it-anchor'

/** Folders with pages, by the beginning of the names of these pages. */
const FOLDERS = { '': 'docs', 'recipes/': 'docs/recipes', 'decisions/': 'docs/decisions' }
const LIBRARIES = ['client', 'go', 'node', 'python', 'react']

/**
 * Reads the guide: its topics, and for each page its title, headings and HTML. A link to another page is
 * `guide:<name>#<heading>`; the service and the export turn it into an address.
 */
export function readGuide(root) {
  const files = listFiles(root)
  const names = new Map([...files].map(([name, file]) => [file, name]))
  const titles = new Map([...files].map(([name, file]) => [name, readTitle(join(root, file))]))
  const pages = [...files].map(([name, file]) => renderPage(name, { file, names, titles, root }))
  const topics = JSON.parse(readFileSync(join(root, 'docs/topics.json'), 'utf8'))
  return { topics: orderPages(topics, [...files.keys()]), pages }
}

/** The files of the pages, relative to the root, by name. */
function listFiles(root) {
  const files = Object.entries(FOLDERS).flatMap(([prefix, folder]) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file) => [toName(prefix, file), `${folder}/${file}`]),
  )
  const libraries = LIBRARIES.map((name) => [`libraries/${name}`, `sdk/${name}/README.md`])
  return new Map([...files, ...libraries.filter(([, file]) => existsSync(join(root, file)))])
}

const toName = (prefix, file) => (file === 'README.md' ? prefix.replace(/\/$/, '') : prefix + file.replace(/\.md$/, ''))

/** A `*` stands for the pages of its folder that no other topic names. */
function orderPages(topics, names) {
  const listed = new Set(topics.flatMap(({ pages }) => pages))
  const rest = (folder) => names.filter((name) => !listed.has(name) && posix.dirname(name) === folder)
  return topics
    .map(({ title, pages }) => ({
      title,
      pages: pages.flatMap((name) =>
        name.endsWith('*') ? rest(posix.dirname(name)) : names.filter((one) => one === name),
      ),
    }))
    .filter(({ pages }) => pages.length > 0)
}

const readTitle = (file) => /^# (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1]

function renderPage(name, { file, names, titles, root }) {
  const headings = []
  const markdown = createRenderer({ file, names, titles, root, headings })
  const html = markdown.render(readFileSync(join(root, file), 'utf8'))
  return {
    name,
    title: titles.get(name) ?? name,
    // The page shows the title itself.
    html: html.replace(/<h1[^>]*>.*?<\/h1>\n?/s, ''),
    headings: headings.filter(({ level }) => level === 2 || level === 3),
  }
}

function createRenderer({ file, names, titles, root, headings }) {
  const markdown = markdownIt({ linkify: false, highlight: highlightCode })
  markdown.use(anchor, {
    slugify,
    tabIndex: false,
    permalink: anchor.permalink.headerLink({ safariReaderFix: true }),
    callback: (token, { slug, title }) => headings.push({ level: Number(token.tag.slice(1)), id: slug, text: title }),
  })
  markdown.renderer.rules.table_open = () => '<div class="scroll"><table>\n'
  markdown.renderer.rules.table_close = () => '</table></div>\n'
  markdown.renderer.rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index].content)
  markdown.renderer.rules.fence = (tokens, index, options) => renderCode(tokens[index], options)
  markdown.core.ruler.push('links', ({ tokens }) => {
    for (const token of tokens) resolveLinks(token.children ?? [], { file, names, titles, root })
  })
  return markdown
}

/** As GitHub does it, so that links between the files work in both places. */
const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

const highlightCode = (code, language) =>
  highlighter.getLanguage(language) ? highlighter.highlight(code, { language }).value : ''

function renderCode({ content, info }, { highlight }) {
  const language = info.trim().split(/\s/)[0]
  const code = highlight(content, language) || content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<figure class="code-box" data-copy><figcaption>${language}</figcaption><pre><code>${code}</code></pre></figure>\n`
}

/** A link to a file of the repository that is no page becomes text. */
function resolveLinks(tokens, { file, names, titles, root }) {
  const isOpen = []
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'link_open') {
      const target = resolveTarget(token.attrGet('href'), { file, names, titles, root })
      isOpen.push(target !== undefined)
      if (target === undefined) token.hidden = true
      else token.attrSet('href', target)
      if (target !== undefined) nameTarget(tokens[index + 1], target, titles)
      if (target?.startsWith('http')) token.attrSet('rel', 'noreferrer')
    }
    if (token.type === 'link_close' && isOpen.pop() === false) token.hidden = true
    if (token.hidden) Object.assign(token, { type: 'text', content: '' })
  }
}

/** The text of a link is the title of the page where the file names the other file. */
function nameTarget(text, target, titles) {
  const name = /^guide:([^#]+)$/.exec(target)?.[1]
  if (name !== undefined && /^[\w-]+\.md$/.test(text.content)) text.content = titles.get(name)
}

function resolveTarget(href, { file, names, root }) {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href
  const [path, heading] = href.split('#')
  const target = posix.join(posix.dirname(file), decodeURI(path))
  const name = names.get(target) ?? names.get(posix.join(target, 'README.md'))
  if (target === 'docs/openapi.json') return '/openapi.json'
  if (name !== undefined) return `guide:${name}${heading === undefined ? '' : `#${heading}`}`
  if (!existsSync(join(root, target))) throw new Error(`${file} has a link to ${href}, which does not exist.`)
  return undefined
}
