import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import {
  deletePlaceholder,
  deletePlaceholders,
  findUser,
  findUserByEmail,
  insertUserIfNew,
  listUserIdsWithRights,
  lockUser,
  lockUserKey,
  type User,
  type UserChange,
  updateUser,
} from './store.ts'

/**
 * A placeholder account is the user row of an invited address that has no account yet. Nobody can sign in to it. It
 * becomes an account when somebody registers with the address.
 */
export const isPlaceholder = ({ password_hash, email_verified }: User): boolean =>
  password_hash === null && !email_verified

/**
 * The user with this address in canonical form, or a new placeholder account. The lock keeps row and address until the
 * transaction ends, but allows other updates.
 */
export const findOrCreateInvitee = (ctx: Ctx, tx: Tx, email: string): Promise<User> =>
  lockOrCreate(ctx, tx, email, lockUserKey)

async function lockOrCreate(ctx: Ctx, tx: Tx, email: string, lock: typeof lockUserKey): Promise<User> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const user = (await findUserByEmail(tx, email)) ?? (await createPlaceholder(ctx, tx, email))
    const locked = user && (await lock(tx, user.id))
    if (locked?.email === email) return locked
  }
  throw new AppError('UNAVAILABLE', { headers: { 'Retry-After': '1' } })
}

/** A placeholder account may be deleted between the read and the lock, when its invitation is revoked. */
const MAX_ATTEMPTS = 3

async function createPlaceholder(ctx: Ctx, tx: Tx, email: string): Promise<User | undefined> {
  const now = ctx.now()
  await insertUserIfNew(tx, {
    id: newId(),
    email,
    email_verified: false,
    display_name: null,
    given_name: null,
    family_name: null,
    password_hash: null,
    is_super_admin: false,
    created_at: now,
    updated_at: now,
  })
  return findUserByEmail(tx, email)
}

/** Clears what the previous user of an unverified address has entered. Database triggers end sessions and tokens. */
export const EMPTY_PROFILE = {
  display_name: null,
  given_name: null,
  family_name: null,
  middle_name: null,
  nickname: null,
  picture_url: null,
  website: null,
  gender: null,
  birthdate: null,
  zoneinfo: null,
  locale: null,
  deletion_requested_at: null,
} as const

/** The columns that turn a placeholder account into an account. */
export type Completion = Omit<UserChange, 'email'>

/** Turns the placeholder account with this address into an account; undefined when there is none. */
export const completePlaceholder = (
  ctx: Ctx,
  tx: Tx,
  email: string,
  completion: Completion,
): Promise<User | undefined> => complete(ctx, tx, { email, completion, isEligible: isPlaceholder })

/**
 * Gives the unverified account with this address to the person whom the operator describes. Undefined when there is none,
 * when the address is verified, or when the account has rights that the new owner would inherit. The previous user loses
 * all access.
 */
export const takeOverUnverified = (
  ctx: Ctx,
  tx: Tx,
  email: string,
  completion: Completion,
): Promise<User | undefined> =>
  complete(ctx, tx, {
    email,
    completion: { ...EMPTY_PROFILE, contested: false, ...completion },
    isEligible: isUnverified,
    exceptWithRights: true,
  })

export const isUnverified = ({ email_verified }: User): boolean => !email_verified

/** The ids of the unverified users that have rights, and so cannot be taken over. */
export async function findUnverifiedWithRights(db: Db, users: User[]): Promise<Set<string>> {
  return new Set(
    await listUserIdsWithRights(
      db,
      users.filter(isUnverified).map(({ id }) => id),
    ),
  )
}

interface CompletionRequest {
  email: string
  completion: Completion
  isEligible(user: User): boolean
  /** Leaves an account with rights unchanged. */
  exceptWithRights?: boolean
}

async function complete(
  ctx: Ctx,
  tx: Tx,
  { email, completion, isEligible, exceptWithRights = false }: CompletionRequest,
): Promise<User | undefined> {
  const found = await findUserByEmail(tx, email)
  const holder = found && isEligible(found) ? await lockUser(tx, found.id) : undefined
  if (!holder || !isEligible(holder)) return undefined
  if (exceptWithRights && (await findUnverifiedWithRights(tx, [holder])).has(holder.id)) return undefined
  await updateUser(tx, holder.id, { ...completion, updated_at: ctx.now() })
  return findUser(tx, holder.id)
}

/** Creates the account of an invited person, whose link verified the address; undefined when there is one already. */
export async function completeInvitee(
  ctx: Ctx,
  tx: Tx,
  email: string,
  { password_hash, ...profile }: Names & { password_hash: string; locale: string | null },
): Promise<User | undefined> {
  // Takes the stronger lock first: upgrading from a key lock could deadlock with another transaction that does the same.
  await lockOrCreate(ctx, tx, email, lockUser)
  return completePlaceholder(ctx, tx, email, { ...profile, password_hash, email_verified: true })
}

/** Frees the address for a person who has verified it. Open invitations to the address stay valid. */
export const releaseAddress = (tx: Tx, email: string): Promise<void> => deletePlaceholder(tx, email)

/** Deletes placeholder accounts without an invitation. Concurrent revocations can leave some. */
export const deleteUnusedPlaceholders = (db: Db): Promise<void> => deletePlaceholders(db)

/** Locks the account until the transaction ends; undefined for a placeholder account. */
export async function lockAccount(tx: Tx, id: string): Promise<User | undefined> {
  const user = await lockUser(tx, id)
  return user && !isPlaceholder(user) ? user : undefined
}
