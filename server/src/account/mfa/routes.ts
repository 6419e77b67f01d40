import { defineRoute } from '../../http/define-route.ts'
import { Done } from '../../http/schema.ts'
import { findFactors, hasSecondFactor } from '../../users/factors/factors.ts'
import { beginApp, confirmApp, removeApp, replaceCodes } from './authenticator-app.ts'
import {
  BeginTotpRequest,
  ConfirmedRequest,
  ConfirmTotpRequest,
  MfaOverview,
  NewTotp,
  RecoveryCodes,
} from './schema.ts'

const tag = 'Account: second factors'

export const mfaRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/users/me/mfa',
    tag,
    summary: 'What is set up beside the password',
    caller: 'person',
    reply: { 200: MfaOverview },
    handler: async (ctx, { caller }) => {
      const factors = await findFactors(ctx.db, caller.userId)
      const { totp, passkeys, recoveryCodes } = factors
      return { mfaEnabled: hasSecondFactor(factors), totp, passkeys, recoveryCodesLeft: recoveryCodes }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/me/mfa/totp',
    tag,
    summary: 'Begin to set up an authenticator app; it counts once a code has confirmed it',
    caller: 'person',
    body: BeginTotpRequest,
    reply: { 200: NewTotp },
    errors: ['EMAIL_NOT_VERIFIED', 'REAUTHENTICATION_REQUIRED', 'MFA_ALREADY_ENROLLED', 'RATE_LIMITED'],
    handler: (ctx, { body, ...managing }) => beginApp(ctx, managing, body?.password),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/me/mfa/totp/verify',
    tag,
    summary: 'Confirm the authenticator app with its first code; answers the recovery codes',
    caller: 'person',
    body: ConfirmTotpRequest,
    reply: { 200: RecoveryCodes },
    errors: ['INVALID_CODE', 'REAUTHENTICATION_REQUIRED', 'MFA_NOT_ENROLLED', 'MFA_ALREADY_ENROLLED'],
    handler: async (ctx, { body, ...managing }) => ({
      recoveryCodes: await confirmApp(ctx, managing, body.code),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/users/me/mfa/totp',
    tag,
    summary: 'Remove the authenticator app',
    caller: 'person',
    body: ConfirmedRequest,
    reply: { 200: Done },
    errors: ['CURRENT_PASSWORD_INCORRECT', 'REAUTHENTICATION_REQUIRED', 'MFA_NOT_ENROLLED', 'RATE_LIMITED'],
    handler: async (ctx, { body, ...asking }) => {
      await removeApp(ctx, asking, body?.password)
      return { success: true, message: 'Authenticator app removed' }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/me/mfa/recovery-codes',
    tag,
    summary: 'Make new recovery codes; the old ones end',
    caller: 'person',
    body: ConfirmedRequest,
    reply: { 200: RecoveryCodes },
    errors: ['CURRENT_PASSWORD_INCORRECT', 'REAUTHENTICATION_REQUIRED', 'MFA_NOT_ENROLLED', 'RATE_LIMITED'],
    handler: async (ctx, { body, ...asking }) => ({
      recoveryCodes: await replaceCodes(ctx, asking, body?.password),
    }),
  }),
]
