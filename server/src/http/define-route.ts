import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Ctx } from '../context.ts'
import type { ErrorCode } from '../errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Who may enter. `anyone` asks for nothing. */
export type CallerKind = 'anyone'

type Shape<S> = S extends TSchema ? Static<S> : undefined

/** Any of the declared answers. */
type Answer<R extends Record<number, TSchema>> = { [K in keyof R]: Shape<R[K]> }[keyof R]

export interface Input<
  B extends TSchema | undefined,
  Q extends TSchema | undefined,
  P extends TSchema | undefined,
> {
  body: Shape<B>
  query: Shape<Q>
  params: Shape<P>
  request: FastifyRequest
  /** For the rare route that sets a header or picks between several answers. */
  reply: FastifyReply
}

interface RouteOptions<
  R extends Record<number, TSchema>,
  B extends TSchema | undefined,
  Q extends TSchema | undefined,
  P extends TSchema | undefined,
> {
  method: Method
  path: string
  /** One line for the reader of the API page. */
  summary: string
  /** The chapter of the API page it stands in. */
  tag: string
  caller: CallerKind
  body?: B
  query?: Q
  params?: P
  /** The successful answers by status. The schema is also the whitelist of what leaves the house. */
  reply: R
  /** The codes this route may throw, beside those every route may. */
  errors?: ErrorCode[]
  handler(ctx: Ctx, input: Input<B, Q, P>): Promise<Answer<R>> | Answer<R>
}

/** Input whose types are known to the route alone. */
type AnyInput = Record<'body' | 'query' | 'params', unknown> &
  Pick<Input<undefined, undefined, undefined>, 'request' | 'reply'>

/** A route once its types have done their work. */
export interface Route {
  method: Method
  path: string
  summary: string
  tag: string
  caller: CallerKind
  body: TSchema | undefined
  query: TSchema | undefined
  params: TSchema | undefined
  reply: Record<number, TSchema>
  errors: ErrorCode[]
  handler(ctx: Ctx, input: AnyInput): unknown
}

/** A door: who may enter, what goes in, what comes out, what can go wrong. */
export function defineRoute<
  const R extends Record<number, TSchema>,
  B extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  P extends TSchema | undefined = undefined,
>(options: RouteOptions<R, B, Q, P>): Route {
  const { body, query, params, errors = [], ...rest } = options
  // The handler's input has been validated against these very schemas by the time it is called.
  return { ...rest, body, query, params, errors, handler: rest.handler as Route['handler'] }
}

/** What a page answers: markup, and perhaps a status other than 200. */
export interface PageAnswer {
  status?: number
  html: string
}

export interface Page {
  method: 'GET' | 'POST'
  path: string
  caller: CallerKind
  handler(ctx: Ctx, request: FastifyRequest): Promise<PageAnswer> | PageAnswer
}

/** A page for people: HTML, and no part of the API description. */
export const definePage = (page: Page): Page => page

/** A text served as it is, such as a stylesheet or the metrics. */
export interface Asset {
  path: string
  type: string
  /** Seconds for which a copy stays good; 0 means it must not be kept. */
  maxAge: number
  content(ctx: Ctx): Promise<string> | string
}
