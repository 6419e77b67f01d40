import { type Static, Type } from 'typebox'

const LONGEST_PAGE = 100

/** The part of a list that is asked for, as fields of a query. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'The first page is 1' }),
  limit: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_VALUE,
    default: 20,
    description: `Entries on a page; more than ${LONGEST_PAGE} are read as ${LONGEST_PAGE}`,
  }),
}

export const Pagination = Type.Object(
  {
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer({ description: 'Entries on all pages' }),
    pages: Type.Integer(),
  },
  { title: 'Pagination' },
)
export type Pagination = Static<typeof Pagination>

/** Of a list that may be too long to be counted, and is better read by cursor. */
export const CursorPagination = Type.Object(
  {
    ...Pagination.properties,
    totalIsExact: Type.Boolean({ description: 'False: there are more, or may be; so many were counted' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'What `after` takes for the next page; null: this is the last',
    }),
  },
  { title: 'CursorPagination' },
)

export interface PageRequest {
  page: number
  limit: number
}

/** Where in a list a page lies. */
export interface Range {
  offset: number
  limit: number
}

export function toRange({ page, limit }: PageRequest): Range {
  const capped = Math.min(limit, LONGEST_PAGE)
  return { offset: (page - 1) * capped, limit: capped }
}

export function describePage({ page, limit }: PageRequest, total: number): Pagination {
  const capped = Math.min(limit, LONGEST_PAGE)
  return { page, limit: capped, total, pages: Math.ceil(total / capped) }
}
