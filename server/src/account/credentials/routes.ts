import { defineRoute } from '../../http/define-route.ts'
import { Done } from '../../http/schema.ts'
import { resendVerification } from '../../sessions/resend-verification.ts'
import { getSelf } from '../confirm-identity.ts'
import { requestEmailChange } from './email-change.ts'
import { changePassword } from './password-change.ts'
import { EmailChange, PasswordChange } from './schema.ts'

const tag = 'My account'

export const credentialsRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/users/me/password',
    tag,
    summary: 'Change the password; ends all other sessions',
    caller: 'person',
    body: PasswordChange,
    reply: { 200: Done },
    errors: [
      'CURRENT_PASSWORD_INCORRECT',
      'REAUTHENTICATION_REQUIRED',
      'SAME_PASSWORD',
      'WEAK_PASSWORD',
      'RATE_LIMITED',
    ],
    handler: async (ctx, { caller, body, request, reply }) => {
      await changePassword(ctx, { caller, request, reply }, body)
      return { success: true, message: 'Password changed successfully' }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/me/email',
    tag,
    summary: 'Ask for another e-mail address; it changes once the link mailed to it is followed',
    caller: 'person',
    body: EmailChange,
    reply: { 200: Done },
    errors: ['CURRENT_PASSWORD_INCORRECT', 'REAUTHENTICATION_REQUIRED', 'RATE_LIMITED'],
    handler: async (ctx, { body, ...managing }) => {
      await requestEmailChange(ctx, managing, body)
      return { success: true, message: 'Verification email sent to new address' }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/me/email/verification',
    tag,
    summary: 'Mail another link to confirm your address, in place of the one before',
    caller: 'person',
    reply: { 200: Done },
    handler: async (ctx, { caller }) => {
      await resendVerification(ctx, await getSelf(ctx, caller))
      return { success: true, message: 'Verification email sent' }
    },
  }),
]
