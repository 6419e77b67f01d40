import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import type { Exchange } from '../../src/http/routing/exchange.ts'
import { newId } from '../../src/lib/ids.ts'
import { newSecret } from '../../src/lib/secrets.ts'
import { signInDirectly, signInLocked, type VerifiedAuthentication } from '../../src/sessions/establish-session.ts'
import { findUser, type User, type UserChange } from '../../src/users/service.ts'
import { insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'

// `signInDirectly` must sign in exactly when `expectedOutcome` is 'signed-in', and otherwise return undefined.
// `signInLocked` must always return the expected outcome.

let service: TestService
let original: User
beforeAll(async () => {
  service = await startDemoService()
  original = await readUser((await insertUser(service)).id)
  // `signInDirectly` requires a known device. This first sign-in makes the device known.
  expect(await runLocked({ user: original, amr: ['pwd'] })).toBe('signed-in')
})
afterAll(() => service?.close())

async function readUser(id: string): Promise<User> {
  const user = await findUser(service.ctx.db, id)
  if (!user) throw new Error('the user does not exist')
  return user
}

const browserId = newSecret()

/** A request without a session cookie, always from the same device. */
const newExchange = (): Exchange => ({
  request: {
    id: newId(),
    ip: '10.0.0.1',
    socket: { remoteAddress: '10.0.0.1' },
    headers: { 'user-agent': 'Test', cookie: `latchkey_browser=${browserId}` },
  } as unknown as FastifyRequest,
  reply: { getHeader() {}, removeHeader() {}, header() {} } as unknown as FastifyReply,
})

type Outcome = 'signed-in' | 'second-factor' | 'deletion-scheduled' | 'INVALID_CREDENTIALS'

async function runLocked(authentication: VerifiedAuthentication): Promise<Outcome> {
  const { ctx } = service
  try {
    const signIn = { exchange: newExchange(), authentication }
    return (await ctx.db.transaction().execute((tx) => signInLocked(ctx, tx, signIn))).state
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS') return error.code
    throw error
  }
}

async function runDirectly(authentication: VerifiedAuthentication): Promise<Outcome | undefined> {
  return (await signInDirectly(service.ctx, { exchange: newExchange(), authentication }))?.state
}

/** Values of `amr` (pwd: password, fed: external identity provider). */
const METHODS = ['pwd', 'fed'] as const
const FACTORS = ['none', 'unconfirmed totp', 'totp', 'passkey'] as const
const DELETIONS = ['none', 'before authentication', 'after authentication', 'canceled after authentication'] as const
const BOOLEANS = [false, true]

interface SignInCase {
  method: (typeof METHODS)[number]
  factor: (typeof FACTORS)[number]
  deletion: (typeof DELETIONS)[number]
  isDisabled: boolean
  isPasswordChanged: boolean
  isPasswordSignInOff: boolean
}

const UNCHANGED = { isDisabled: false, isPasswordChanged: false, isPasswordSignInOff: false }

/** All combinations of the other properties. */
const casesOf = (method: SignInCase['method'], factor: SignInCase['factor']): SignInCase[] =>
  DELETIONS.flatMap((deletion) =>
    BOOLEANS.flatMap((isDisabled) =>
      BOOLEANS.flatMap((isPasswordChanged) =>
        BOOLEANS.map((isPasswordSignInOff) => ({
          method,
          factor,
          deletion,
          isDisabled,
          isPasswordChanged,
          isPasswordSignInOff,
        })),
      ),
    ),
  )

function expectedOutcome(signInCase: SignInCase): Outcome {
  const { method, factor, deletion, isDisabled, isPasswordChanged, isPasswordSignInOff } = signInCase
  const isDeletionChanged = deletion === 'after authentication' || deletion === 'canceled after authentication'
  const isPasswordRefused = isPasswordSignInOff && method === 'pwd'
  if (isDisabled || isPasswordChanged || isPasswordRefused || isDeletionChanged) return 'INVALID_CREDENTIALS'
  if (deletion === 'before authentication') return 'deletion-scheduled'
  return factor === 'totp' || factor === 'passkey' ? 'second-factor' : 'signed-in'
}

const updateUser = (change: UserChange) =>
  service.ctx.db.updateTable('users').set(change).where('id', '=', original.id).execute()

/** Changes the account as in the case, and returns the authentication from before the last changes. */
async function prepare(signInCase: SignInCase): Promise<VerifiedAuthentication> {
  const { deletion } = signInCase
  const { password_hash, password_sign_in, disabled } = original
  await deleteFactors()
  await updateUser({ password_hash, password_sign_in, disabled, deletion_requested_at: null })
  const scheduled = { deletion_requested_at: service.ctx.now() }
  if (deletion === 'before authentication' || deletion === 'canceled after authentication') await updateUser(scheduled)
  const user = await readUser(original.id)
  await addFactor(signInCase.factor)
  await updateUser({
    disabled: signInCase.isDisabled,
    password_sign_in: !signInCase.isPasswordSignInOff,
    ...(signInCase.isPasswordChanged && { password_hash: 'another hash' }),
    ...(deletion === 'after authentication' && scheduled),
    ...(deletion === 'canceled after authentication' && { deletion_requested_at: null }),
  })
  return { user, amr: [signInCase.method] }
}

async function deleteFactors(): Promise<void> {
  for (const table of ['totp_secrets', 'passkeys'] as const)
    await service.ctx.db.deleteFrom(table).where('user_id', '=', original.id).execute()
}

async function addFactor(factor: SignInCase['factor']): Promise<void> {
  const { db, keys } = service.ctx
  const owned = { user_id: original.id, created_at: service.ctx.now() }
  if (factor === 'passkey') {
    const credential = { credential_id: newId(), public_key: Buffer.from('x'), sign_count: 0 }
    await db
      .insertInto('passkeys')
      .values({ id: newId(), ...owned, ...credential, transports: [], backed_up: false, name: 'Key' })
      .execute()
  } else if (factor !== 'none') {
    const confirmed_at = factor === 'totp' ? service.ctx.now() : null
    const sealed_secret = keys.seal('totp', 'JBSWY3DPEHPK3PXP')
    await db
      .insertInto('totp_secrets')
      .values({ ...owned, sealed_secret, confirmed_at })
      .execute()
  }
}

const describeCase = ({ method, factor, deletion, ...changes }: SignInCase): string =>
  `${method}, factor: ${factor}, deletion: ${deletion}, ${JSON.stringify(changes)}`

describe.each(METHODS)('for a user who authenticated by %s', (method) => {
  test.each(FACTORS)('signInDirectly signs in exactly when signInLocked does, with factor: %s', async (factor) => {
    for (const signInCase of casesOf(method, factor)) {
      const expected = expectedOutcome(signInCase)
      const authentication = await prepare(signInCase)
      const directly = await runDirectly(authentication)
      const locked = await runLocked(authentication)
      expect({ directly, locked }, describeCase(signInCase)).toEqual({
        directly: expected === 'signed-in' ? 'signed-in' : undefined,
        locked: expected,
      })
    }
  })
})

test('signInDirectly returns undefined while another transaction locks the user row', async () => {
  const { ctx } = service
  const authentication = await prepare({ method: 'pwd', factor: 'none', deletion: 'none', ...UNCHANGED })
  await ctx.db.transaction().execute(async (tx) => {
    await tx.selectFrom('users').select('id').where('id', '=', original.id).forNoKeyUpdate().execute()
    expect(await runDirectly(authentication)).toBeUndefined()
  })
  expect(await runDirectly(authentication)).toBe('signed-in')
})

test('only signInLocked cancels a scheduled deletion, if the sign-in asks for it', async () => {
  const signInCase = {
    method: 'pwd',
    factor: 'none',
    deletion: 'before authentication',
    ...UNCHANGED,
  } as const
  const authentication = { ...(await prepare(signInCase)), cancelsDeletion: true }
  expect(await runDirectly(authentication)).toBeUndefined()
  expect(await runLocked(authentication)).toBe('signed-in')
  expect((await readUser(original.id)).deletion_requested_at).toBeNull()
})
