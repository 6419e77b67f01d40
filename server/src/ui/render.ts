import { h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { type Brand, BrandContext } from './brand.ts'

/** Renders a whole document with the given branding. Preact escapes all values. */
export const render = (page: VNode, brand?: Brand): string =>
  `<!doctype html>${renderToString(h(BrandContext.Provider, { value: brand }, page))}`
