import { refuseCrossOrigin } from '../../http/csrf.ts'
import { defineRoute } from '../../http/define-route.ts'
import { SignInReply } from '../schema.ts'
import { toSignInReply } from '../sign-in-reply.ts'
import { PasskeyRequest, PasskeyRequestOptions, PasskeySignInRequest } from './schema.ts'
import { askForPasskey, signInWithPasskey } from './sign-in.ts'

const tag = 'Sign-in'

export const passkeySignInRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/auth/passkey/options',
    tag,
    summary:
      'What the browser needs to ask for a passkey: as second factor after the password, else in its place',
    caller: 'anyone',
    body: PasskeyRequest,
    reply: { 200: PasskeyRequestOptions },
    errors: ['RATE_LIMITED', 'FORBIDDEN'],
    handler: async (ctx, { body, request, reply }) => {
      refuseCrossOrigin(request)
      return askForPasskey(ctx, { request, reply }, { passwordless: body.passwordless ?? false })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/passkey',
    tag,
    summary: 'Sign in with a passkey; sets the session cookie',
    caller: 'anyone',
    body: PasskeySignInRequest,
    reply: { 200: SignInReply },
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'FORBIDDEN', 'ACCOUNT_SCHEDULED_FOR_DELETION'],
    handler: async (ctx, { body, request, reply }) => {
      refuseCrossOrigin(request)
      const { userHandle, ...signed } = body.response
      const response = { ...signed, ...(userHandle && { userHandle }) }
      const sent = { ...body, response, clientExtensionResults: {} }
      return toSignInReply(await signInWithPasskey(ctx, { request, reply }, sent))
    },
  }),
]
