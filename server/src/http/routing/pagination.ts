import { type Static, Type } from 'typebox'

const MAX_PAGE_SIZE = 100

/** The query parameters of a paginated list. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'The first page is 1' }),
  limit: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_VALUE,
    default: 20,
    description: `Entries on a page; more than ${MAX_PAGE_SIZE} are read as ${MAX_PAGE_SIZE}`,
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

/** For lists that may be too long to count, and that support cursors. */
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

export interface Range {
  offset: number
  limit: number
}

export function toRange({ page, limit }: PageRequest): Range {
  const capped = Math.min(limit, MAX_PAGE_SIZE)
  return { offset: (page - 1) * capped, limit: capped }
}

export function describePage({ page, limit }: PageRequest, total: number): Pagination {
  const capped = Math.min(limit, MAX_PAGE_SIZE)
  return { page, limit: capped, total, pages: Math.ceil(total / capped) }
}
