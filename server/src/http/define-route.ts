import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Role } from '../db/tables.ts'
import type { ErrorCode, OAuthErrorCode } from '../errors.ts'
import type { Eventual } from '../lib/eventual.ts'
import type { Fields } from '../lib/fields.ts'
import type { AdmittedKind } from './admission.ts'
import type { CallerKind, CallerOf } from './callers.ts'
import type { CrossOrigin } from './cross-origin.ts'
import type { Exchange } from './exchange.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Shape<S> = S extends TSchema ? Static<S> : undefined

/** Any of the declared answers. */
export type Answer<R extends Record<number, TSchema>> = { [K in keyof R]: Shape<R[K]> }[keyof R]

export interface Input<
  B extends TSchema | undefined,
  Q extends TSchema | undefined,
  P extends TSchema | undefined,
  K extends CallerKind,
> {
  caller: CallerOf<K>
  body: Shape<B>
  query: Shape<Q>
  params: Shape<P>
  request: FastifyRequest
  /** For the rare route that sets a header or picks between several answers. */
  reply: FastifyReply
  /** The transaction in which a `member` works: it sees nothing of other tenants, and commits when the handler is done. */
  tx: K extends 'member' ? Tx : undefined
}

interface RouteOptions<
  R extends Record<number, TSchema>,
  B extends TSchema | undefined,
  Q extends TSchema | undefined,
  P extends TSchema | undefined,
  K extends CallerKind,
> {
  method: Method
  path: string
  /** One line for the reader of the API page. */
  summary: string
  /** The chapter of the API page it stands in. */
  tag: string
  caller: K
  /** Which members may do it. */
  roles?: K extends 'member' ? readonly Role[] : undefined
  /** The handler decides who must have shown the second factor that the tenant requires; else every member must. */
  checksFactor?: K extends 'member' ? boolean : undefined
  /** A body in JSON; one that is `Type.Optional` may be left out, and is then an empty object. Or … */
  body?: B
  /** … in the encoding of HTML forms. All its fields are text. */
  form?: B
  /** A body of another type counts as none, for a route that can be asked without one. */
  ignoresOtherBodies?: boolean
  query?: Q
  params?: P
  /** The successful answers by status. The schema is also the whitelist of what leaves the house. */
  reply: R
  /** The codes this route may throw, beside those every route may. */
  errors?: ErrorCode[]
  /** Set on the OAuth endpoints: every error is answered in the words of OAuth, and these are the codes. */
  oauthErrors?: OAuthErrorCode[]
  /** Codes that have another status here than elsewhere. */
  oauthStatuses?: Partial<Record<OAuthErrorCode, number>>
  /** Which pages of other origins may read the answers; none unless said. */
  crossOrigin?: CrossOrigin
  /** Headers that it reads, and that it answers with, each in a few words. */
  requestHeaders?: Record<string, string>
  replyHeaders?: Record<string, string>
  /** A repeated request with the same Idempotency-Key gets the first one's answer. */
  idempotent?: boolean
  /** Its answer rests on nothing but what it is asked, by whom, and what is remembered: it may be given again. */
  repeats?: boolean
  /** It answers a stream, of which these are the media types: its reply is a `textStream`. */
  streams?: readonly string[]
  /** A GET of a member that leaves a trace: its transaction may write. */
  leavesTrace?: boolean
  /** It is expensive, and let in a few at a time: more get 503, and more of one caller RATE_LIMITED. */
  admission?: AdmittedKind
  handler(ctx: Ctx, input: Input<B, Q, P, K>): Eventual<Answer<R>>
}

/** Input whose types are known to the route alone. */
type AnyInput = Record<'body' | 'query' | 'params' | 'caller' | 'tx', unknown> &
  Pick<Input<undefined, undefined, undefined, 'anyone'>, 'request' | 'reply'>

/** A route once its types have done their work. */
export interface Route {
  method: Method
  path: string
  summary: string
  tag: string
  caller: CallerKind
  roles: readonly Role[]
  checksFactor: boolean
  body: TSchema | undefined
  bodyType: 'json' | 'form' | undefined
  ignoresOtherBodies: boolean
  query: TSchema | undefined
  params: TSchema | undefined
  reply: Record<number, TSchema>
  errors: ErrorCode[]
  oauthErrors: OAuthErrorCode[] | undefined
  oauthStatuses: Partial<Record<OAuthErrorCode, number>>
  crossOrigin: CrossOrigin | undefined
  requestHeaders: Record<string, string>
  replyHeaders: Record<string, string>
  idempotent: boolean
  repeats: boolean
  streams: readonly string[] | undefined
  leavesTrace: boolean
  admission: AdmittedKind | undefined
  handler(ctx: Ctx, input: AnyInput): unknown
}

/** A door: who may enter, what goes in, what comes out, what can go wrong. */
export function defineRoute<
  const R extends Record<number, TSchema>,
  K extends CallerKind,
  B extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  P extends TSchema | undefined = undefined,
>(options: RouteOptions<R, B, Q, P, K>): Route {
  const { body, form, query, params, errors = [], oauthErrors, crossOrigin, idempotent = false } = options
  const { method, path, summary, tag, caller, roles = [], reply, oauthStatuses = {} } = options
  const { requestHeaders = {}, replyHeaders = {}, streams, leavesTrace = false, repeats = false } = options
  const { checksFactor = false, ignoresOtherBodies = false, admission } = options
  return {
    method,
    path,
    summary,
    tag,
    caller,
    roles,
    checksFactor,
    body: body ?? form,
    bodyType: body ? 'json' : form ? 'form' : undefined,
    ignoresOtherBodies,
    query,
    params,
    reply,
    errors,
    oauthErrors,
    oauthStatuses,
    crossOrigin,
    requestHeaders,
    replyHeaders,
    idempotent,
    repeats,
    streams,
    leavesTrace,
    admission,
    // The handler's input has been validated against these very schemas by the time it is called.
    handler: options.handler as Route['handler'],
  }
}

/** What a page answers: markup, or the way to another address. */
export type PageAnswer =
  | {
      html: string
      /** Other than 200. */
      status?: number
      /** Origins beside ours to which a form on this page may lead in the end. */
      formTargets?: string[]
      /** A script of ours runs on this page and talks to us. Pages that do not say so run none. */
      scripts?: boolean
      /** Styles that a script of ours adds to this page carry this number. */
      styleNonce?: string
    }
  | { redirect: string }

export interface PageInput extends Exchange {
  /** The parameters of the address. */
  query: Fields
  /** The fields of the form that was sent; empty for GET. */
  form: Fields
}

export interface Page {
  method: 'GET' | 'POST'
  path: string
  handler(ctx: Ctx, input: PageInput): Promise<PageAnswer> | PageAnswer
}

/** A page for people: HTML, and no part of the API description. */
export const definePage = (page: Page): Page => page

/** A text served as it is, such as a stylesheet or the metrics. */
export interface Asset {
  path: string
  type: string
  /** Seconds for which a copy stays good; 0 means it must not be kept. */
  maxAge: number
  /** Throws where whoever asks may not see it. */
  admit?(ctx: Ctx, request: Exchange['request']): void
  content(ctx: Ctx): Promise<string> | string
}

/** Something with a name that stands for its content. */
export interface Kept {
  type: string
  body: string | Buffer
  /** The same in fewer bytes (Brotli), for whoever can read it. */
  compressed?: Buffer
}

/** Things served by a name that stands for their content, such as logos. */
export interface Shelf {
  path: string
  /** What the name is called in the path. */
  param: string
  find(ctx: Ctx, name: string): Promise<Kept | undefined>
}
