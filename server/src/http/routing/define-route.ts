import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { Role } from '../../db/tables.ts'
import type { ErrorCode, OAuthErrorCode } from '../../errors.ts'
import type { Fields } from '../../lib/fields.ts'
import type { LimitedRoute } from '../limits/admission.ts'
import type { CachedDocument } from './cached-document.ts'
import { ACCEPTS_SUPPORT, type CallerKind, type CallerOf } from './callers.ts'
import type { CrossOrigin } from './cross-origin.ts'
import type { Exchange } from './exchange.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type StaticOf<S> = S extends TSchema ? Static<S> : undefined

/** The union of the declared response bodies. */
export type ReplyBody<R extends Record<number, TSchema>> = { [K in keyof R]: StaticOf<R[K]> }[keyof R]

export interface Input<
  B extends TSchema | undefined,
  Q extends TSchema | undefined,
  P extends TSchema | undefined,
  K extends CallerKind,
> {
  caller: CallerOf<K>
  body: StaticOf<B>
  query: StaticOf<Q>
  params: StaticOf<P>
  request: FastifyRequest
  /** For routes that set a header or choose between several statuses. */
  reply: FastifyReply
  /** The transaction of a `member` route, in tenant scope. It commits when the handler returns. */
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
  /** The name of the method in generated clients, such as `listMembers`. It never changes. */
  operationId: string
  /** One line in the API reference. */
  summary: string
  /** The section of the API reference. */
  tag: string
  caller: K
  /** The roles of members that are allowed. */
  roles?: K extends 'member' ? readonly Role[] : undefined
  /** The handler checks the second factor that the tenant requires. By default every member needs it. */
  checksFactor?: K extends 'member' ? boolean : undefined
  /** An operator who acts as a member may use the route. By default only routes of tenants and licenses. */
  allowsSupport?: boolean
  /** The schema of a JSON body. With `Type.Optional` the body may be omitted and is an empty object then. */
  body?: B
  /** The schema of a form-encoded body, instead of `body`. All its fields are strings. */
  form?: B
  /** A body of another media type is treated as no body. */
  ignoresOtherBodies?: boolean
  query?: Q
  params?: P
  /** The successful response bodies by status. Only fields in the schema are sent. */
  reply: R
  /** The error codes of this route, besides the common and implied ones. */
  errors?: ErrorCode[]
  /** Only for OAuth endpoints: errors use the OAuth format, with these codes. */
  oauthErrors?: OAuthErrorCode[]
  /** Only for OAuth endpoints, which authenticate the caller themselves: what the API description says about it. */
  authenticatedBy?: 'token' | 'client' | 'client-or-form' | 'registration' | 'registration-or-none'
  /** OAuth error codes whose status differs from the default. */
  oauthStatuses?: Partial<Record<OAuthErrorCode, number>>
  /** The other origins that may read the responses (CORS). None by default. */
  crossOrigin?: CrossOrigin
  /** The headers that the route reads and sets, with descriptions. */
  requestHeaders?: Record<string, string>
  replyHeaders?: Record<string, string>
  /** The route supports the Idempotency-Key header. */
  idempotent?: boolean
  /** The media types of a streamed response. The reply schema is a `textStream` then. */
  streams?: readonly string[]
  /** A `member` route with GET that writes, for example an audit event. */
  writes?: boolean
  /** Limits the concurrency of an expensive route: excess requests get UNAVAILABLE or RATE_LIMITED. */
  admission?: LimitedRoute
  handler(ctx: Ctx, input: Input<B, Q, P, K>): Promise<ReplyBody<R>> | ReplyBody<R>
}

/** Input without the types of a specific route. */
type AnyInput = Record<'body' | 'query' | 'params' | 'caller' | 'tx', unknown> &
  Pick<Input<undefined, undefined, undefined, 'anyone'>, 'request' | 'reply'>

/** A route without its type parameters. */
export interface Route {
  method: Method
  path: string
  operationId: string
  summary: string
  tag: string
  caller: CallerKind
  roles: readonly Role[]
  checksFactor: boolean
  allowsSupport: boolean
  body: TSchema | undefined
  bodyType: 'json' | 'form' | undefined
  ignoresOtherBodies: boolean
  query: TSchema | undefined
  params: TSchema | undefined
  reply: Record<number, TSchema>
  errors: ErrorCode[]
  oauthErrors: OAuthErrorCode[] | undefined
  authenticatedBy: 'token' | 'client' | 'client-or-form' | 'registration' | 'registration-or-none' | undefined
  oauthStatuses: Partial<Record<OAuthErrorCode, number>>
  crossOrigin: CrossOrigin | undefined
  requestHeaders: Record<string, string>
  replyHeaders: Record<string, string>
  idempotent: boolean
  streams: readonly string[] | undefined
  writes: boolean
  admission: LimitedRoute | undefined
  handler(ctx: Ctx, input: AnyInput): unknown
}

/** Defines an API route: its callers, input, responses and errors. */
export function defineRoute<
  const R extends Record<number, TSchema>,
  K extends CallerKind,
  B extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  P extends TSchema | undefined = undefined,
>(options: RouteOptions<R, B, Q, P, K>): Route {
  const { body, form, query, params, errors = [], oauthErrors, crossOrigin, idempotent = false } = options
  const { method, path, operationId, summary, tag, caller, roles = [], reply, oauthStatuses = {} } = options
  const { requestHeaders = {}, replyHeaders = {}, streams, writes = false } = options
  const { allowsSupport = ACCEPTS_SUPPORT.includes(caller) } = options
  const { checksFactor = false, ignoresOtherBodies = false, admission, authenticatedBy } = options
  return {
    method,
    path,
    operationId,
    summary,
    tag,
    caller,
    roles,
    checksFactor,
    allowsSupport,
    body: body ?? form,
    bodyType: body ? 'json' : form ? 'form' : undefined,
    ignoresOtherBodies,
    query,
    params,
    reply,
    errors,
    oauthErrors,
    authenticatedBy,
    oauthStatuses,
    crossOrigin,
    requestHeaders,
    replyHeaders,
    idempotent,
    streams,
    writes,
    admission,
    // Fastify validates the input against these schemas before it calls the handler.
    handler: options.handler as Route['handler'],
  }
}

/** The result of a page handler: HTML, a document for every caller, or a redirect. */
export type PageResult =
  | {
      html: string
      /** 200 by default. */
      status?: number
      /** Other origins that the redirects after a form submission may lead to (CSP `form-action`). */
      formTargets?: string[]
      /** The page may run scripts of this service. By default it may if it contains a script element. */
      scripts?: boolean
      /** The nonce of style elements that a script adds to this page. */
      styleNonce?: string
      /** The page contains frames with pages of this service. */
      frames?: boolean
    }
  | {
      html: string
      /** The document is only for a frame of a page of this service, with these inline styles. */
      framed: { styleHashes: readonly string[] }
    }
  | { document: CachedDocument; scripts?: boolean }
  | { redirect: string }

export interface PageInput extends Exchange {
  query: Fields
  /** Empty for GET. */
  form: Fields
}

export interface Page {
  method: 'GET' | 'POST'
  path: string
  /** The page may be opened while an operator acts as a member. Other pages redirect to the page about that. */
  allowsSupport?: boolean
  handler(ctx: Ctx, input: PageInput): Promise<PageResult> | PageResult
}

/** Defines an HTML page. Pages are not part of the API description. */
export const definePage = (page: Page): Page => page

/** A file at a fixed path, such as a stylesheet or the metrics. */
export interface StaticFile {
  path: string
  type: string
  /** Cache lifetime in seconds; 0 means `no-store`. */
  maxAge: number
  /** Throws if the caller may not read the file. */
  admit?(ctx: Ctx, request: Exchange['request']): void
  content(ctx: Ctx): Promise<string | CachedDocument | { body: string; compressed: Buffer }> | string | Buffer
}

export interface FileContent {
  type: string
  body: string | Buffer
  /** The body compressed with Brotli. */
  compressed?: Buffer
}

/** Files whose name identifies their content (such as a hash), so that they never change. */
export interface StaticFolder {
  path: string
  /** The path parameter with the file name. */
  param: string
  find(ctx: Ctx, name: string): Promise<FileContent | undefined>
}
