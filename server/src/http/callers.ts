import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Role } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { showsSecondFactor } from '../lib/amr.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import type { Exchange } from './exchange.ts'

/** A person who came with an access token, or with the cookie of their browser. */
export interface Person {
  kind: 'person'
  userId: string
  sessionId: string
  superAdmin: boolean
  /** How they proved who they are (RFC 8176): in the session of the cookie, or when the token's grant was given. */
  amr: readonly string[]
  /** Through which client they came; undefined: with their browser's cookie. */
  clientId: string | undefined
  /** The application that holds the token is ours, so that it may manage accounts and tenants. */
  trusted: boolean
  /** The tenant that their token speaks for. */
  tenantId: string | undefined
  /** Their role there, at this moment. */
  tenantRole: Role | undefined
}

/** Whoever is signed in in a browser is there through our own pages, and speaks for no tenant in particular. */
export const IN_BROWSER = {
  kind: 'person',
  clientId: undefined,
  trusted: true,
  tenantId: undefined,
  tenantRole: undefined,
} as const

/** A program that came with a token of its own. */
export interface Machine {
  kind: 'machine'
  clientId: string
  /** The tenant it is bound to; undefined: the whole instance. */
  tenantId: string | undefined
  scopes: string[]
}

export type Caller = Person | Machine

/** Whoever came with a token that speaks for one tenant. */
export type TenantCaller = Caller & { tenantId: string }

/** A person in the tenant that the address names, of which they are an ACTIVE member. */
export interface Member extends Person {
  tenantId: string
  membershipId: string
  role: Role
  /** The tenant requires a second factor that they have not shown. */
  lacksFactor: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, once the door has asked. */
    caller?: Caller | undefined
  }
}

/**
 * Who each kind of door lets in. `anyone` asks for nothing; `visitor` may be somebody, and need not; `person` is
 * somebody who manages their own affairs, in their browser or through an application of ours; `member` is a person in
 * the tenant of the address, `/api/tenants/:id`; `license-reader` and `license-writer` speak for a tenant,
 * by a token alone, and may look at its licences, or give and take them; `administrator` runs the instance; `auditor`
 * may look at it, and a machine of one tenant at that; `event-reader` runs the instance or speaks for a tenant, and may
 * learn what happens there.
 */
interface Admitted {
  anyone: undefined
  visitor: Person | undefined
  person: Person
  member: Member
  'license-reader': TenantCaller
  'license-writer': TenantCaller
  administrator: Caller
  auditor: Caller
  'event-reader': Caller
}

export type CallerKind = keyof Admitted
export type CallerOf<K extends CallerKind> = Admitted[K]

/**
 * Finds out who is calling, or throws UNAUTHORIZED. The slice that issues tokens brings it. `cookies`: whoever is
 * signed in in the browser needs no token.
 */
export type Doorkeeper = (ctx: Ctx, exchange: Exchange, accept: { cookies: boolean }) => Eventual<Caller>

/** The tenant a request is about, and who may do what it asks for. */
export interface TenantDoor {
  tenantId: string
  roles: readonly Role[]
  /** Nothing is changed by what is asked for. */
  readOnly: boolean
  /** Whoever lacks the second factor that the tenant requires is not refused here: the handler decides. */
  checksFactor?: boolean
}

/**
 * Does work for one tenant, in a transaction that sees nothing of any other, if the person may: else TENANT_NOT_FOUND,
 * FORBIDDEN, OWNER_REQUIRED or MFA_REQUIRED. The slice that knows tenants brings it.
 */
export type TenantKeeper = <T>(
  ctx: Ctx,
  person: Person,
  door: TenantDoor,
  work: (tx: Tx, member: Member) => Promise<T>,
) => Promise<T>

/** A name for the caller that stays the same from request to request. */
export const callerName = (caller: Caller | undefined): string =>
  caller === undefined ? 'anyone' : caller.kind === 'person' ? caller.userId : caller.clientId

export function admit(
  ctx: Ctx,
  exchange: Exchange,
  { kind, doorkeeper }: { kind: CallerKind; doorkeeper: Doorkeeper },
): Eventual<Caller | undefined> {
  if (kind === 'anyone') return undefined
  const caller =
    kind === 'visitor'
      ? askVisitor(ctx, exchange, doorkeeper)
      : doorkeeper(ctx, exchange, { cookies: COOKIES.includes(kind) })
  return whenThere<Caller | undefined, Caller | undefined>(caller, (known) => {
    const admitted = known && withProvenPower(ctx, known)
    if (admitted && !MAY_ENTER[kind](admitted)) {
      throw new AppError(known && MAY_ENTER[kind](known) ? 'MFA_REQUIRED' : 'FORBIDDEN')
    }
    return admitted
  })
}

/** Where Super Admins must show a second factor, whoever has not acts without that power. */
function withProvenPower({ config }: Ctx, caller: Caller): Caller {
  if (caller.kind === 'machine' || !caller.superAdmin) return caller
  const isProven = config.superAdminMfa === 'OPTIONAL' || showsSecondFactor(caller.amr)
  return isProven ? caller : { ...caller, superAdmin: false }
}

async function askVisitor(ctx: Ctx, exchange: Exchange, doorkeeper: Doorkeeper): Promise<Caller | undefined> {
  try {
    return await doorkeeper(ctx, exchange, { cookies: true })
  } catch (error) {
    // What a visitor brings may have run out, and they may not need it.
    if (error instanceof AppError && error.code === 'UNAUTHORIZED') return undefined
    throw error
  }
}

/** Where the cookie of a browser is enough. */
export const COOKIES: readonly CallerKind[] = ['visitor', 'person', 'member']

const isOurs = (caller: Caller) => caller.kind === 'person' && caller.trusted

/** Whether they run the whole instance. */
export const isAdministrator = (caller: Caller): boolean =>
  caller.kind === 'person'
    ? isSuperAdmin(caller)
    : caller.tenantId === undefined && caller.scopes.includes('admin')

const looksAfterTenant = ({ trusted, tenantRole }: Person) =>
  trusted && (tenantRole === 'owner' || tenantRole === 'admin')

const MAY_ENTER: Record<Exclude<CallerKind, 'anyone'>, (caller: Caller) => boolean> = {
  visitor: isOurs,
  person: isOurs,
  member: isOurs,
  'license-reader': (caller) =>
    caller.tenantId !== undefined &&
    (caller.kind === 'person' || LICENSE_SCOPES.some((scope) => caller.scopes.includes(scope))),
  'license-writer': (caller) =>
    caller.tenantId !== undefined &&
    (caller.kind === 'person' ? looksAfterTenant(caller) : caller.scopes.includes('licenses:write')),
  administrator: isAdministrator,
  auditor: (caller) => caller.kind === 'machine' || isSuperAdmin(caller),
  'event-reader': (caller) =>
    isAdministrator(caller) ||
    (caller.tenantId !== undefined &&
      (caller.kind === 'person' ? looksAfterTenant(caller) : caller.scopes.includes('events:read'))),
}

/** Who may change them may look at them. */
const LICENSE_SCOPES = ['licenses:read', 'licenses:write']

const isSuperAdmin = ({ superAdmin, trusted }: Person) => superAdmin && trusted
