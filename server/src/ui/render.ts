import { h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { type Brand, BrandContext } from './brand.ts'

/** A whole document, in the name of whoever people are on the way to. Everything put into the markup is escaped. */
export const render = (page: VNode, brand?: Brand): string =>
  `<!doctype html>${renderToString(h(BrandContext.Provider, { value: brand }, page))}`
