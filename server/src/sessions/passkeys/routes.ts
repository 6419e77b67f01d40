import { rejectCrossOrigin } from '../../http/request/csrf.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { SignInReply } from '../schema.ts'
import { toSignInReply } from '../sign-in-reply.ts'
import { PasskeyOptionsRequest, PasskeyRequestOptions, PasskeySignInRequest } from './schema.ts'
import { createPasskeyOptions, signInWithPasskey } from './sign-in.ts'

const tag = 'Sign-in'

export const passkeySignInRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/auth/passkey/options',
    operationId: 'createPasskeySignInOptions',
    tag,
    summary: 'What the browser needs to ask for a passkey: as second factor after the password, else in its place',
    caller: 'anyone',
    body: PasskeyOptionsRequest,
    reply: { 200: PasskeyRequestOptions },
    errors: ['RATE_LIMITED', 'FORBIDDEN'],
    handler: async (ctx, { body, request, reply }) => {
      rejectCrossOrigin(request)
      return createPasskeyOptions(ctx, { request, reply }, { passwordless: body.passwordless ?? false })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/passkey',
    operationId: 'logInWithPasskey',
    tag,
    summary: 'Sign in with a passkey; sets the session cookie',
    caller: 'anyone',
    body: PasskeySignInRequest,
    reply: { 200: SignInReply },
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'FORBIDDEN', 'ACCOUNT_SCHEDULED_FOR_DELETION'],
    handler: async (ctx, { body, request, reply }) => {
      rejectCrossOrigin(request)
      const { userHandle, ...rest } = body.response
      const response = { ...rest, ...(userHandle && { userHandle }) }
      const assertion = { ...body, response, clientExtensionResults: {} }
      return toSignInReply(await signInWithPasskey(ctx, { request, reply }, assertion))
    },
  }),
]
