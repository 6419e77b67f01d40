import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** A whole document. Everything put into the markup is escaped by the renderer. */
export const render = (page: VNode): string => `<!doctype html>${renderToString(page)}`
