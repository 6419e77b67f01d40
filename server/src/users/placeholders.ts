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
  holdUser,
  insertUserIfNew,
  listSettledIds,
  lockUser,
  type User,
  type UserChange,
  updateUser,
} from './store.ts'

/**
 * Somebody who was invited before they were here has a record, so that the invitation can name them, and nothing that
 * would let anybody in. Whoever makes an account with the address finds it there and makes it theirs.
 */
export const isPlaceholder = ({ password_hash, email_verified }: User): boolean =>
  password_hash === null && !email_verified

/**
 * The person with this address in canonical form: whoever has it, or else a placeholder. They keep it until the
 * transaction ends, and are held up in nothing else.
 */
export const holdInvitee = (ctx: Ctx, tx: Tx, email: string): Promise<User> => hold(ctx, tx, email, holdUser)

async function hold(ctx: Ctx, tx: Tx, email: string, take: typeof holdUser): Promise<User> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const known = (await findUserByEmail(tx, email)) ?? (await addPlaceholder(ctx, tx, email))
    const held = known && (await take(tx, known.id))
    if (held?.email === email) return held
  }
  throw new AppError('UNAVAILABLE', { headers: { 'Retry-After': '1' } })
}

/** Between finding somebody and holding them they may be gone: a placeholder whose invitation is revoked just now. */
const TRIES = 3

async function addPlaceholder(ctx: Ctx, tx: Tx, email: string): Promise<User | undefined> {
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

/** What somebody may have written, or asked for, under an address that nobody had proven. The database ends the rest. */
export const BLANK = {
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

/** What makes a placeholder a person. */
export type Completion = Omit<UserChange, 'email'>

/** Makes the placeholder with this address a person; undefined when there is none, or none any more. */
export const completePlaceholder = (
  ctx: Ctx,
  tx: Tx,
  email: string,
  completion: Completion,
): Promise<User | undefined> => complete(ctx, tx, { email, completion, mayBe: isPlaceholder })

/**
 * Makes whoever has this address without having proven it the person whom the operator describes; undefined when there
 * is nobody, or somebody who has, or who has rights here that would come along. Whoever came before, and may have known
 * somebody was to come, has nothing of it.
 */
export const takeOver = (
  ctx: Ctx,
  tx: Tx,
  email: string,
  completion: Completion,
): Promise<User | undefined> =>
  complete(ctx, tx, {
    ...{ email, completion: { ...BLANK, contested: false, ...completion }, mayBe: isUnproven },
    sparesSettled: true,
  })

/** Whether anybody could have this address here. */
export const isUnproven = ({ email_verified }: User): boolean => !email_verified

/** Those of the people who have not proven their address and make way for nobody: rights here hang on them. */
export async function findSettled(db: Db, users: User[]): Promise<Set<string>> {
  return new Set(
    await listSettledIds(
      db,
      users.filter(isUnproven).map(({ id }) => id),
    ),
  )
}

interface Completing {
  email: string
  completion: Completion
  mayBe(user: User): boolean
  /** Whether nobody is to become another who has rights here. */
  sparesSettled?: boolean
}

async function complete(
  ctx: Ctx,
  tx: Tx,
  { email, completion, mayBe, sparesSettled = false }: Completing,
): Promise<User | undefined> {
  const found = await findUserByEmail(tx, email)
  const holder = found && mayBe(found) ? await lockUser(tx, found.id) : undefined
  if (!holder || !mayBe(holder)) return undefined
  if (sparesSettled && (await findSettled(tx, [holder])).has(holder.id)) return undefined
  await updateUser(tx, holder.id, { ...completion, updated_at: ctx.now() })
  return findUser(tx, holder.id)
}

/** Somebody who was invited, has shown that the address is theirs, and makes an account; undefined when there is one. */
export async function addInvitee(
  ctx: Ctx,
  tx: Tx,
  email: string,
  { password_hash, ...names }: Names & { password_hash: string },
): Promise<User | undefined> {
  // At once as firmly as the change needs: who held on and then held faster would wait for whoever does the same.
  await hold(ctx, tx, email, lockUser)
  return completePlaceholder(ctx, tx, email, { ...names, password_hash, email_verified: true })
}

/** Makes way for somebody who has shown that the address is theirs. Invitations to it stay open, for them. */
export const giveWay = (tx: Tx, email: string): Promise<void> => deletePlaceholder(tx, email)

/** Placeholders that no invitation needs any more, such as when two were revoked at the same moment. */
export const forgetPlaceholders = (db: Db): Promise<void> => deletePlaceholders(db)
