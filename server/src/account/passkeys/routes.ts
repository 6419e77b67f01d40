import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { t } from '../../languages/translate.ts'
import { listPasskeysOf, type Passkey } from '../../users/passkeys/passkeys.ts'
import {
  AddedPasskey,
  AddPasskeyRequest,
  ByPasskeyId,
  PasskeyCreationOptions,
  PasskeyList,
  ReauthenticationRequest,
} from './schema.ts'
import { addPasskey, beginPasskey, removePasskey } from './service.ts'

const common = { tag: 'Account: second factors', caller: 'person' } as const

export const passkeyRoutes = [
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/users/me/mfa/passkeys/options',
    operationId: 'createPasskeyOptions',
    summary: 'Begin to add a passkey: what the browser needs to make one; good for five minutes',
    body: ReauthenticationRequest,
    reply: { 200: PasskeyCreationOptions },
    errors: ['EMAIL_NOT_VERIFIED', 'REAUTHENTICATION_REQUIRED', 'RATE_LIMITED'],
    handler: (ctx, { body, ...exchange }) => beginPasskey(ctx, exchange, body.password),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/users/me/mfa/passkeys',
    operationId: 'addPasskey',
    summary: 'Add the passkey that the browser has made; the first second factor comes with recovery codes',
    body: AddPasskeyRequest,
    reply: { 201: AddedPasskey },
    errors: ['INVALID_PASSKEY', 'REAUTHENTICATION_REQUIRED'],
    handler: async (ctx, { body: { name, ...response }, ...exchange }) => {
      const { passkey, recoveryCodes } = await addPasskey(ctx, exchange, {
        response: { ...response, clientExtensionResults: {} },
        name,
      })
      return { ...toPasskeyBody(passkey), ...(recoveryCodes && { recoveryCodes }) }
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/users/me/mfa/passkeys',
    operationId: 'listMyPasskeys',
    summary: 'List your passkeys',
    reply: { 200: PasskeyList },
    handler: async (ctx, { caller }) => ({
      passkeys: (await listPasskeysOf(ctx.db, caller.userId)).map(toPasskeyBody),
    }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/users/me/mfa/passkeys/:id',
    operationId: 'removePasskey',
    summary: 'Remove a passkey',
    params: ByPasskeyId,
    body: ReauthenticationRequest,
    reply: { 200: ActionResult },
    errors: ['PASSKEY_NOT_FOUND', 'LAST_LOGIN_METHOD', 'REAUTHENTICATION_REQUIRED', 'RATE_LIMITED'],
    handler: async (ctx, { body, params, ...exchange }) => {
      await removePasskey(ctx, exchange, { id: params.id, password: body.password })
      return { success: true, message: t('Passkey removed') }
    },
  }),
]

const toPasskeyBody = ({ id, name, created_at, last_used_at, backed_up }: Passkey) => ({
  id,
  name,
  createdAt: created_at.toISOString(),
  lastUsedAt: last_used_at?.toISOString() ?? null,
  backedUp: backed_up,
})
