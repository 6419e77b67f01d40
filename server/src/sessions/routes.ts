import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/client-address.ts'
import { isCrossOrigin } from '../http/csrf.ts'
import { defineRoute } from '../http/define-route.ts'
import { Done } from '../http/schema.ts'
import { signOut } from './browser-session.ts'
import { LoginReply, LoginRequest, RegisterReply, RegisterRequest, VerifyEmailRequest } from './schema.ts'
import { signIn } from './sign-in.ts'
import { register, verifyEmail } from './sign-up.ts'

const tag = 'Sign-in'

/** What the hosted pages do, for programs. */
export const sessionRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/auth/login',
    tag,
    summary: 'Sign in with a password; sets the session cookie',
    caller: 'anyone',
    body: LoginRequest,
    reply: { 200: LoginReply },
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'FORBIDDEN'],
    handler: async (ctx, { body, request, reply }) => {
      refuseCrossOrigin(request)
      return signIn(ctx, { request, reply }, body)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/logout',
    tag,
    summary: 'End the session of the cookie, and every token that came from it',
    caller: 'anyone',
    reply: { 200: Done },
    errors: ['FORBIDDEN'],
    handler: async (ctx, { request, reply }) => {
      refuseCrossOrigin(request)
      await signOut(ctx, { request, reply })
      return { success: true, message: 'Signed out' }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/register',
    tag,
    summary: 'Make an account; a mail asks to confirm the address',
    caller: 'anyone',
    body: RegisterRequest,
    reply: { 201: RegisterReply },
    errors: ['WEAK_PASSWORD', 'RATE_LIMITED'],
    handler: async (ctx, { body, request }) => ({ user: await register(ctx, body, clientNetwork(request)) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/email/verify',
    tag,
    summary: 'Confirm an e-mail address with the token of the mail',
    caller: 'anyone',
    body: VerifyEmailRequest,
    reply: { 200: Done },
    errors: ['INVALID_TOKEN'],
    handler: async (ctx, { body }) => {
      await verifyEmail(ctx, body.token, body.password)
      return { success: true, message: 'Email verified' }
    },
  }),
]

/** Another site must not sign anybody in or out here. */
function refuseCrossOrigin(request: FastifyRequest): void {
  if (isCrossOrigin(request)) throw new AppError('FORBIDDEN')
}
