import type { Config } from '../../config.ts'
import { render } from '../../ui/render.ts'
import { definePage, type Page, type Route, type StaticFile } from '../routing/define-route.ts'
import { DocsPage } from './docs-page.tsx'
import { describeApi } from './openapi.ts'

/** Renders once, at the first request: the routes do not change while the service runs. */
export function docsPages(routes: Route[]): Page[] {
  let html: string | undefined
  const handler = () => {
    html ??= render(<DocsPage routes={routes} />)
    return { html }
  }
  return [definePage({ method: 'GET', path: '/docs', handler })]
}

export function openApiFile(routes: Route[], { baseUrl }: Config): StaticFile {
  let document: string | undefined
  return {
    path: '/openapi.json',
    type: 'application/json; charset=utf-8',
    maxAge: 0,
    content() {
      document ??= JSON.stringify(describeApi(routes, baseUrl))
      return document
    },
  }
}
