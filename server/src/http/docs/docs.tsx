import type { VNode } from 'preact'
import type { Config } from '../../config.ts'
import { render } from '../../ui/render.ts'
import { cacheDocument } from '../routing/cached-document.ts'
import { definePage, type Page, type Route, type StaticFile } from '../routing/define-route.ts'
import { describeApi } from './openapi.ts'
import { type Reference, readReference, resourcePath } from './reference/operations.ts'
import { CallbackPage, OverviewPage, ResourcePage } from './reference/pages.tsx'
import { listSearchEntries, SEARCH_PATH } from './reference/search.ts'

interface ApiReference {
  pages: Page[]
  files: StaticFile[]
}

/**
 * The API reference: an overview, and a page for each tag. Each is rendered at its first request, because the routes do
 * not change while the service runs.
 */
export function apiReference(routes: Route[], { baseUrl }: Config): ApiReference {
  let described: { description: object; reference: Reference } | undefined
  const describe = () => {
    const description = described?.description ?? describeApi(routes, baseUrl)
    described ??= { description, reference: readReference(description) }
    return described
  }
  const page = (path: string, createPage: (reference: Reference) => VNode): Page => {
    const document = cacheDocument(() => render(createPage(describe().reference)))
    return definePage({ method: 'GET', path, handler: async () => ({ document: await document(), scripts: true }) })
  }
  const tags = [...new Set(routes.map(({ tag }) => tag))]
  return {
    pages: [
      page('/docs', (reference) => <OverviewPage reference={reference} />),
      page('/docs/callback', (reference) => <CallbackPage reference={reference} />),
      ...tags.map((tag) => page(resourcePath(tag), (reference) => <ResourcePage reference={reference} name={tag} />)),
    ],
    files: [
      jsonFile('/openapi.json', () => describe().description),
      jsonFile(SEARCH_PATH, () => listSearchEntries(describe().reference)),
    ],
  }
}

export const jsonFile = (path: string, create: () => object): StaticFile => ({
  path,
  type: 'application/json; charset=utf-8',
  maxAge: 0,
  content: cacheDocument(() => JSON.stringify(create())),
})
