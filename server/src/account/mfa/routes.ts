import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { t } from '../../languages/translate.ts'
import { findFactors, hasSecondFactor } from '../../users/factors/factors.ts'
import { beginAppEnrollment, confirmAppEnrollment, removeApp, replaceRecoveryCodes } from './authenticator-app.ts'
import {
  BeginTotpRequest,
  ConfirmPasswordRequest,
  ConfirmTotpRequest,
  MfaOverview,
  RecoveryCodes,
  TotpEnrollment,
} from './schema.ts'

const tag = 'Account: second factors'

export const mfaRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/users/me/mfa',
    operationId: 'getMyMfa',
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
    operationId: 'beginTotpEnrollment',
    tag,
    summary: 'Begin to set up an authenticator app; it counts once a code has confirmed it',
    caller: 'person',
    body: BeginTotpRequest,
    reply: { 200: TotpEnrollment },
    errors: ['EMAIL_NOT_VERIFIED', 'REAUTHENTICATION_REQUIRED', 'MFA_ALREADY_ENROLLED', 'RATE_LIMITED'],
    handler: (ctx, { body, ...exchange }) => beginAppEnrollment(ctx, exchange, body?.password),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/me/mfa/totp/verify',
    operationId: 'confirmTotpEnrollment',
    tag,
    summary: 'Confirm the authenticator app with its first code; answers the recovery codes',
    caller: 'person',
    body: ConfirmTotpRequest,
    reply: { 200: RecoveryCodes },
    errors: ['INVALID_CODE', 'REAUTHENTICATION_REQUIRED', 'MFA_NOT_ENROLLED', 'MFA_ALREADY_ENROLLED'],
    handler: async (ctx, { body, ...exchange }) => ({
      recoveryCodes: await confirmAppEnrollment(ctx, exchange, body.code),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/users/me/mfa/totp',
    operationId: 'removeTotp',
    tag,
    summary: 'Remove the authenticator app',
    caller: 'person',
    body: ConfirmPasswordRequest,
    reply: { 200: ActionResult },
    errors: ['CURRENT_PASSWORD_INCORRECT', 'REAUTHENTICATION_REQUIRED', 'MFA_NOT_ENROLLED', 'RATE_LIMITED'],
    handler: async (ctx, { body, ...exchange }) => {
      await removeApp(ctx, exchange, body?.password)
      return { success: true, message: t('Authenticator app removed') }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/me/mfa/recovery-codes',
    operationId: 'createRecoveryCodes',
    tag,
    summary: 'Make new recovery codes; the old ones end',
    caller: 'person',
    body: ConfirmPasswordRequest,
    reply: { 200: RecoveryCodes },
    errors: ['CURRENT_PASSWORD_INCORRECT', 'REAUTHENTICATION_REQUIRED', 'MFA_NOT_ENROLLED', 'RATE_LIMITED'],
    handler: async (ctx, { body, ...exchange }) => ({
      recoveryCodes: await replaceRecoveryCodes(ctx, exchange, body?.password),
    }),
  }),
]
