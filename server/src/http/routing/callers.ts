import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { Role } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { includesSecondFactor } from '../../lib/amr.ts'
import type { SupportBanner } from '../../ui/support-banner.tsx'
import type { Exchange } from './exchange.ts'

/** A person authenticated by an access token or a session cookie. */
export interface Person {
  kind: 'person'
  userId: string
  sessionId: string
  superAdmin: boolean
  /** The authentication methods (RFC 8176) of the session, or of the sign-in at which the token's grant was created. */
  amr: readonly string[]
  /** The client of the token; undefined for a session cookie. */
  clientId: string | undefined
  /** The token belongs to a trusted application, which may manage accounts and tenants. */
  trusted: boolean
  /** The tenant of the token. */
  tenantId: string | undefined
  /** The current role in that tenant. */
  tenantRole: Role | undefined
  /** Set while an operator acts as this person. */
  support?: SupportScope | undefined
}

/** The operator who acts as a member, and the only tenant in which they may. */
export interface SupportScope {
  operatorId: string
  tenantId: string
}

/** The fields of a person with a session cookie: trusted, and without a tenant. */
export const COOKIE_PERSON = {
  kind: 'person',
  clientId: undefined,
  trusted: true,
  tenantId: undefined,
  tenantRole: undefined,
} as const

/** A machine client with a token from the client credentials grant. */
export interface Machine {
  kind: 'machine'
  clientId: string
  /** The tenant that the client is bound to; undefined for the whole instance. */
  tenantId: string | undefined
  scopes: string[]
}

export type Caller = Person | Machine

/** A caller whose token is for one tenant. */
export type TenantCaller = Caller & { tenantId: string }

/** A person with an ACTIVE membership in the tenant of the URL. */
export interface Member extends Person {
  tenantId: string
  membershipId: string
  role: Role
  /** The tenant requires a second factor, and the person has not used one. */
  lacksFactor: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set after authentication. */
    caller?: Caller | undefined
    /** The operator who acts as the user of the session or the token. */
    operatorId?: string
    /** What the banner of a page says about them. */
    supportBanner?: SupportBanner
  }
}

/**
 * The callers that a route may allow:
 * - `anyone`: no authentication
 * - `visitor`: authentication is optional
 * - `person`: the person's own account, with a session cookie or a token of a trusted application
 * - `member`: a person in the tenant of the URL, `/api/tenants/:id`
 * - `license-reader`, `license-writer`: a token for one tenant, with read or write access to its licenses
 * - `administrator`: manages the instance
 * - `auditor`: an administrator, or a machine client, which may be bound to one tenant
 * - `event-reader`: an administrator, or a token for one tenant with access to its events
 */
interface CallerKinds {
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

export type CallerKind = keyof CallerKinds
export type CallerOf<K extends CallerKind> = CallerKinds[K]

/**
 * Identifies the caller or throws UNAUTHORIZED. Implemented by the slice that issues tokens. With `cookies`, a session
 * cookie is accepted instead of a token.
 */
export type Authenticator = (ctx: Ctx, exchange: Exchange, accept: { cookies: boolean }) => Promise<Caller>

/** The access that a request needs to a tenant. */
export interface TenantAccess {
  tenantId: string
  /** The roles that are allowed. */
  roles: readonly Role[]
  readOnly: boolean
  /** The handler, not `WithTenant`, checks the second factor that the tenant requires. */
  checksFactor?: boolean
}

/**
 * Runs work in a transaction in tenant scope (row-level security). Throws TENANT_NOT_FOUND, FORBIDDEN, OWNER_REQUIRED
 * or MFA_REQUIRED if the person lacks access. Implemented by the tenants slice.
 */
export type WithTenant = <T>(
  ctx: Ctx,
  person: Person,
  access: TenantAccess,
  work: (tx: Tx, member: Member) => Promise<T>,
) => Promise<T>

/** A stable key for the caller, used by rate limits and idempotency keys. */
export const callerKey = (caller: Caller | undefined): string =>
  caller === undefined ? 'anyone' : caller.kind === 'person' ? personKey(caller) : caller.clientId

/** An operator does not share keys with the person. */
const personKey = ({ userId, support }: Person): string => (support ? `${userId}@${support.operatorId}` : userId)

export async function authorizeCaller(
  ctx: Ctx,
  exchange: Exchange,
  { kind, allowsSupport, authenticate }: { kind: CallerKind; allowsSupport: boolean; authenticate: Authenticator },
): Promise<Caller | undefined> {
  if (kind === 'anyone') return undefined
  const caller =
    kind === 'visitor'
      ? await findVisitor(ctx, exchange, authenticate)
      : await authenticate(ctx, exchange, { cookies: ACCEPTS_COOKIE.includes(kind) })
  if (caller?.kind === 'person' && caller.support && !allowsSupport) throw actingError()
  const effective = caller && dropSuperAdminWithoutMfa(ctx, caller)
  if (effective && !IS_ALLOWED[kind](effective)) {
    throw new AppError(caller && IS_ALLOWED[kind](caller) ? 'MFA_REQUIRED' : 'FORBIDDEN')
  }
  return effective
}

/** For what an operator who acts as a member may not do. */
export const actingError = (): AppError =>
  new AppError('FORBIDDEN', { message: t('This is not possible while you act as a member. End support access first.') })

/** The kinds that accept an operator who acts as a member, unless the route says otherwise. */
export const ACCEPTS_SUPPORT: readonly CallerKind[] = ['member', 'license-reader', 'license-writer', 'event-reader']

/** If the instance requires MFA of Super Admins, one without a second factor acts as an ordinary user. */
function dropSuperAdminWithoutMfa({ config }: Ctx, caller: Caller): Caller {
  if (caller.kind === 'machine' || !caller.superAdmin) return caller
  const mayAct = config.superAdminMfa === 'OPTIONAL' || includesSecondFactor(caller.amr)
  return mayAct ? caller : { ...caller, superAdmin: false }
}

async function findVisitor(ctx: Ctx, exchange: Exchange, authenticate: Authenticator): Promise<Caller | undefined> {
  try {
    return await authenticate(ctx, exchange, { cookies: true })
  } catch (error) {
    // An expired session or token makes the caller anonymous, but a client with a proof must learn why it was refused.
    const { authorization, dpop } = exchange.request.headers
    const hasProof = authorization !== undefined && dpop !== undefined
    if (!hasProof && error instanceof AppError && error.code === 'UNAUTHORIZED') return undefined
    throw error
  }
}

/** The kinds that accept a session cookie. */
export const ACCEPTS_COOKIE: readonly CallerKind[] = ['visitor', 'person', 'member']

const isTrustedPerson = (caller: Caller) => caller.kind === 'person' && caller.trusted

/** True for Super Admins, and for machine clients of the instance with the scope `admin`. */
export const isAdministrator = (caller: Caller): boolean =>
  caller.kind === 'person' ? isSuperAdmin(caller) : caller.tenantId === undefined && caller.scopes.includes('admin')

const isTenantAdministrator = ({ trusted, tenantRole }: Person) =>
  trusted && (tenantRole === 'owner' || tenantRole === 'admin')

const IS_ALLOWED: Record<Exclude<CallerKind, 'anyone'>, (caller: Caller) => boolean> = {
  visitor: isTrustedPerson,
  person: isTrustedPerson,
  member: isTrustedPerson,
  'license-reader': (caller) =>
    caller.tenantId !== undefined &&
    (caller.kind === 'person' || LICENSE_SCOPES.some((scope) => caller.scopes.includes(scope))),
  'license-writer': (caller) =>
    caller.tenantId !== undefined &&
    (caller.kind === 'person' ? isTenantAdministrator(caller) : caller.scopes.includes('licenses:write')),
  administrator: isAdministrator,
  auditor: (caller) => caller.kind === 'machine' || isSuperAdmin(caller),
  'event-reader': (caller) =>
    isAdministrator(caller) ||
    (caller.tenantId !== undefined &&
      (caller.kind === 'person' ? isTenantAdministrator(caller) : caller.scopes.includes('events:read'))),
}

/** Write access includes read access. */
const LICENSE_SCOPES = ['licenses:read', 'licenses:write']

const isSuperAdmin = ({ superAdmin, trusted }: Person) => superAdmin && trusted
