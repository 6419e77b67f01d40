import type { Config } from '../config.ts'
import { render } from '../ui/render.ts'
import { type Asset, definePage, type Page, type Route } from './define-route.ts'
import { DocsPage } from './docs-page.tsx'
import { describeApi } from './openapi.ts'

/** The routes do not change while the service runs, so both descriptions are made once, for the first who asks. */
export function docsPages(routes: Route[]): Page[] {
  let html: string | undefined
  const handler = () => {
    html ??= render(<DocsPage routes={routes} />)
    return { html }
  }
  return [definePage({ method: 'GET', path: '/docs', handler })]
}

export function openApiAsset(routes: Route[], { baseUrl }: Config): Asset {
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
