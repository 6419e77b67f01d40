import { defineRoute } from '../../http/define-route.ts'
import { Done } from '../../http/schema.ts'
import { listPasskeysOf, type Passkey } from '../../users/passkeys/passkeys.ts'
import {
  AddedPasskey,
  AddPasskeyRequest,
  ByPasskeyId,
  PasskeyCreationOptions,
  PasskeyList,
  ReauthenticatedRequest,
} from './schema.ts'
import { addPasskey, beginPasskey, removePasskey } from './service.ts'

const common = { tag: 'Account: second factors', caller: 'person' } as const

export const passkeyRoutes = [
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/users/me/mfa/passkeys/options',
    summary: 'Begin to add a passkey: what the browser needs to make one; good for five minutes',
    body: ReauthenticatedRequest,
    reply: { 200: PasskeyCreationOptions },
    errors: ['EMAIL_NOT_VERIFIED', 'REAUTHENTICATION_REQUIRED', 'RATE_LIMITED'],
    handler: (ctx, { body, ...managing }) => beginPasskey(ctx, managing, body.password),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/users/me/mfa/passkeys',
    summary: 'Add the passkey that the browser has made; the first second factor comes with recovery codes',
    body: AddPasskeyRequest,
    reply: { 201: AddedPasskey },
    errors: ['INVALID_PASSKEY', 'REAUTHENTICATION_REQUIRED'],
    handler: async (ctx, { body: { name, ...response }, ...managing }) => {
      const sent = { ...response, clientExtensionResults: {} }
      const { passkey, recoveryCodes } = await addPasskey(ctx, managing, { response: sent, name })
      return { ...describe(passkey), ...(recoveryCodes && { recoveryCodes }) }
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/users/me/mfa/passkeys',
    summary: 'List your passkeys',
    reply: { 200: PasskeyList },
    handler: async (ctx, { caller }) => ({
      passkeys: (await listPasskeysOf(ctx.db, caller.userId)).map(describe),
    }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/users/me/mfa/passkeys/:id',
    summary: 'Remove a passkey',
    params: ByPasskeyId,
    body: ReauthenticatedRequest,
    reply: { 200: Done },
    errors: ['PASSKEY_NOT_FOUND', 'LAST_LOGIN_METHOD', 'REAUTHENTICATION_REQUIRED', 'RATE_LIMITED'],
    handler: async (ctx, { body, params, ...managing }) => {
      await removePasskey(ctx, managing, { id: params.id, password: body.password })
      return { success: true, message: 'Passkey removed' }
    },
  }),
]

const describe = ({ id, name, created_at, last_used_at, backed_up }: Passkey) => ({
  id,
  name,
  createdAt: created_at.toISOString(),
  lastUsedAt: last_used_at?.toISOString() ?? null,
  backedUp: backed_up,
})
