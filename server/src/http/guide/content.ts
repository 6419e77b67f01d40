import { brotliDecompressSync } from 'node:zlib'
import { AppError } from '../../errors.ts'
import { readBuiltFile } from '../../ui/docs-files.ts'

interface Heading {
  level: number
  id: string
  text: string
}

export interface GuidePage {
  /** The part of the address after `/guide/`, such as `recipes/spring`. */
  name: string
  title: string
  headings: Heading[]
  /** Links to other pages are `guide:<name>#<heading>`. */
  html: string
}

export interface Guide {
  topics: { title: string; pages: string[] }[]
  pages: Map<string, GuidePage>
}

let guide: Guide | undefined

/** Reads what bin/guide.mjs made out of docs/. */
export function loadGuide(): Guide {
  if (guide) return guide
  const compressed = readBuiltFile('pages.json')
  if (!compressed) throw new AppError('NOT_FOUND', { message: 'The guide was not built with this service.' })
  const built = JSON.parse(brotliDecompressSync(compressed).toString()) as Pick<Guide, 'topics'> & {
    pages: GuidePage[]
  }
  guide = { topics: built.topics, pages: new Map(built.pages.map((page) => [page.name, page])) }
  return guide
}

/** The pages in the order of the topics. */
export const listPages = ({ topics, pages }: Guide): GuidePage[] =>
  topics.flatMap((topic) => topic.pages).flatMap((name) => pages.get(name) ?? [])

export const guidePath = (name: string): string => `/guide/${name}`

export const resolveLinks = (html: string): string => html.replaceAll('href="guide:', 'href="/guide/')

const toText = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()

/** The sections of a page, as the search finds them. */
export function listSections({ name, title, html }: GuidePage) {
  const [intro = '', ...sections] = html.split(/(?=<h[23] id=")/)
  const found = sections.map((section) => {
    const [heading = '', id = '', text = ''] = /^<h[23] id="([^"]*)"[^>]*>(.*?)<\/h[23]>/s.exec(section) ?? []
    return {
      url: `${guidePath(name)}#${id}`,
      title: toText(text),
      parent: title,
      text: toText(section.slice(heading.length)),
    }
  })
  return [{ url: guidePath(name), title, parent: 'Guide', text: toText(intro) }, ...found]
}
