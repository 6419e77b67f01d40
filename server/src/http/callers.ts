import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Exchange } from './exchange.ts'

/** A person who came with an access token, or with the cookie of their browser. */
export interface Person {
  kind: 'person'
  userId: string
  sessionId: string
  superAdmin: boolean
  /** The application that holds the token is ours, so that it may manage accounts and tenants. */
  trusted: boolean
  tenantId: string | undefined
}

/** A program that came with a token of its own. */
export interface Machine {
  kind: 'machine'
  clientId: string
  /** The tenant it is bound to; undefined: the whole instance. */
  tenantId: string | undefined
  scopes: string[]
}

export type Caller = Person | Machine

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, once the door has asked. */
    caller?: Caller | undefined
  }
}

/**
 * Who each kind of door lets in. `anyone` asks for nothing; `person` is somebody who manages their own affairs, in
 * their browser or through an application of ours; `administrator` runs the instance.
 */
interface Admitted {
  anyone: undefined
  person: Person
  administrator: Caller
}

export type CallerKind = keyof Admitted
export type CallerOf<K extends CallerKind> = Admitted[K]

/**
 * Finds out who is calling, or throws UNAUTHORIZED. The slice that issues tokens brings it. `cookies`: whoever is
 * signed in in the browser needs no token.
 */
export type Doorkeeper = (ctx: Ctx, exchange: Exchange, accept: { cookies: boolean }) => Promise<Caller>

/** A name for the caller that stays the same from request to request. */
export const callerName = (caller: Caller | undefined): string =>
  caller === undefined ? 'anyone' : caller.kind === 'person' ? caller.userId : caller.clientId

export async function admit(
  ctx: Ctx,
  exchange: Exchange,
  { kind, doorkeeper }: { kind: CallerKind; doorkeeper: Doorkeeper },
): Promise<Caller | undefined> {
  if (kind === 'anyone') return undefined
  const caller = await doorkeeper(ctx, exchange, { cookies: kind === 'person' })
  if (!MAY_ENTER[kind](caller)) throw new AppError('FORBIDDEN')
  return caller
}

const MAY_ENTER: Record<Exclude<CallerKind, 'anyone'>, (caller: Caller) => boolean> = {
  person: (caller) => caller.kind === 'person' && caller.trusted,
  administrator: (caller) =>
    caller.kind === 'person'
      ? caller.superAdmin && caller.trusted
      : caller.tenantId === undefined && caller.scopes.includes('admin'),
}
