import { AppError } from '../../errors.ts'
import { render } from '../../ui/render.ts'
import { jsonFile } from '../docs/docs.tsx'
import { GUIDE_SEARCH_PATH, SEARCH_PATH } from '../docs/reference/search.ts'
import { type CachedDocument, cacheDocument } from '../routing/cached-document.ts'
import { definePage, type Page, type StaticFile } from '../routing/define-route.ts'
import { listPages, listSections, loadGuide } from './content.ts'
import { GuideArticle, GuideIndex } from './pages.tsx'

/** Both searches find the guide and the operations of the API. */
const SEARCH = `${GUIDE_SEARCH_PATH} ${SEARCH_PATH}`

const index = cacheDocument(() => render(<GuideIndex guide={loadGuide()} search={SEARCH} />))
const articles = new Map<string, () => Promise<CachedDocument>>()

/** Only pages of the guide are kept. */
function findArticle(name: string): () => Promise<CachedDocument> {
  const known = articles.get(name)
  if (known) return known
  const guide = loadGuide()
  const page = guide.pages.get(name)
  if (!page) throw new AppError('NOT_FOUND')
  const article = cacheDocument(() => render(<GuideArticle guide={guide} search={SEARCH} page={page} />))
  articles.set(name, article)
  return article
}

/** The guides of docs/, made into HTML when the service was built. */
export const guidePages: Page[] = [
  definePage({ method: 'GET', path: '/guide', handler: async () => ({ document: await index(), scripts: true }) }),
  definePage({
    method: 'GET',
    path: '/guide/*',
    async handler(_, { request }) {
      const { '*': name = '' } = request.params as Record<string, string>
      return { document: await findArticle(name)(), scripts: true }
    },
  }),
]

export const listGuideEntries = () =>
  listPages(loadGuide())
    .flatMap(listSections)
    .map((entry) => ({ ...entry, id: `guide ${entry.url}` }))

export const guideSearch: StaticFile = jsonFile(GUIDE_SEARCH_PATH, listGuideEntries)
