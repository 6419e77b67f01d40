import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { t } from '../../languages/translate.ts'
import { resendVerification } from '../../sessions/resend-verification.ts'
import { getCurrentUser } from '../confirm-identity.ts'
import { requestEmailChange } from './email-change.ts'
import { changePassword } from './password-change.ts'
import { ChangeEmailRequest, ChangePasswordRequest } from './schema.ts'

const tag = 'My account'

export const credentialsRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/users/me/password',
    operationId: 'changeMyPassword',
    tag,
    summary: 'Change the password; ends all other sessions',
    caller: 'person',
    body: ChangePasswordRequest,
    reply: { 200: ActionResult },
    errors: [
      'CURRENT_PASSWORD_INCORRECT',
      'REAUTHENTICATION_REQUIRED',
      'SAME_PASSWORD',
      'WEAK_PASSWORD',
      'RATE_LIMITED',
    ],
    handler: async (ctx, { caller, body, request, reply }) => {
      await changePassword(ctx, { caller, request, reply }, body)
      return { success: true, message: t('Password changed successfully') }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/me/email',
    operationId: 'changeMyEmail',
    tag,
    summary: 'Ask for another email address; it changes once the link mailed to it is followed',
    caller: 'person',
    body: ChangeEmailRequest,
    reply: { 200: ActionResult },
    errors: ['CURRENT_PASSWORD_INCORRECT', 'REAUTHENTICATION_REQUIRED', 'RATE_LIMITED'],
    handler: async (ctx, { body, ...exchange }) => {
      await requestEmailChange(ctx, exchange, body)
      return { success: true, message: t('Verification email sent to new address') }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/me/email/verification',
    operationId: 'resendMyEmailVerification',
    tag,
    summary: 'Mail another link to confirm your address, in place of the one before',
    caller: 'person',
    reply: { 200: ActionResult },
    handler: async (ctx, { caller }) => {
      await resendVerification(ctx, await getCurrentUser(ctx, caller))
      return { success: true, message: t('Verification email sent') }
    },
  }),
]
