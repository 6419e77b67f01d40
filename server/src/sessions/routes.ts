import { rejectCrossOrigin } from '../http/request/csrf.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { t, translatable } from '../languages/translate.ts'
import { signOut } from './browser-session.ts'
import { signInWithCode } from './challenge.ts'
import { requestPasswordReset, resetPassword } from './password-reset.ts'
import {
  ForgotPasswordRequest,
  LoginRequest,
  RegisterRequest,
  RegisterResponse,
  ResetPasswordRequest,
  SignInReply,
  VerifyEmailRequest,
  VerifyMfaRequest,
} from './schema.ts'
import { signIn } from './sign-in.ts'
import { toSignInReply } from './sign-in-reply.ts'
import { register, verifyEmail } from './sign-up.ts'

const tag = 'Sign-in'

/** The JSON API of what the hosted pages do. */
export const sessionRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/auth/login',
    operationId: 'logIn',
    tag,
    summary: 'Sign in with a password; sets the session cookie, or asks for a second factor',
    caller: 'anyone',
    body: LoginRequest,
    reply: { 200: SignInReply },
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'FORBIDDEN', 'ACCOUNT_SCHEDULED_FOR_DELETION'],
    handler: async (ctx, { body: { email, password }, request, reply }) => {
      rejectCrossOrigin(request)
      return toSignInReply(await signIn(ctx, { request, reply }, { email, password }))
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/mfa',
    operationId: 'verifyMfa',
    tag,
    summary: 'Show a second factor after the password: a code of the authenticator app, or a recovery code',
    caller: 'anyone',
    body: VerifyMfaRequest,
    reply: { 200: SignInReply },
    errors: [
      'INVALID_CODE',
      'INVALID_CREDENTIALS',
      'UNAUTHORIZED',
      'RATE_LIMITED',
      'FORBIDDEN',
      'ACCOUNT_SCHEDULED_FOR_DELETION',
    ],
    handler: async (ctx, { body, request, reply }) => {
      rejectCrossOrigin(request)
      return toSignInReply(await signInWithCode(ctx, { request, reply }, body))
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/restore',
    operationId: 'restoreAccount',
    tag,
    summary: 'Undo the deletion of an account while there is time, and sign in',
    caller: 'anyone',
    body: LoginRequest,
    reply: { 200: SignInReply },
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'FORBIDDEN', 'ACCOUNT_SCHEDULED_FOR_DELETION'],
    handler: async (ctx, { body: { email, password }, request, reply }) => {
      rejectCrossOrigin(request)
      return toSignInReply(await signIn(ctx, { request, reply }, { email, password, cancelsDeletion: true }))
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/logout',
    operationId: 'logOut',
    tag,
    summary: 'End the session of the cookie, and every token that came from it',
    caller: 'anyone',
    reply: { 200: ActionResult },
    errors: ['FORBIDDEN'],
    handler: async (ctx, { request, reply }) => {
      rejectCrossOrigin(request)
      await signOut(ctx, { request, reply })
      return { success: true, message: t('Signed out') }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/register',
    operationId: 'register',
    tag,
    summary: 'Make an account; a mail asks to confirm the address',
    caller: 'anyone',
    body: RegisterRequest,
    reply: { 201: RegisterResponse },
    errors: ['WEAK_PASSWORD', 'RATE_LIMITED'],
    handler: async (ctx, { body, request }) => ({ user: await register(ctx, body, request) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/email/verify',
    operationId: 'verifyEmail',
    tag,
    summary: 'Confirm an email address with the token of the mail',
    caller: 'anyone',
    body: VerifyEmailRequest,
    reply: { 200: ActionResult },
    errors: ['INVALID_TOKEN', 'EMAIL_TAKEN', 'RATE_LIMITED'],
    handler: async (ctx, { body, request }) => {
      await verifyEmail(ctx, { ...body, request })
      return { success: true, message: t('Email verified') }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/password/forgot',
    operationId: 'requestPasswordReset',
    tag,
    summary: 'Ask for a mail with a link to choose a new password',
    caller: 'anyone',
    body: ForgotPasswordRequest,
    reply: { 200: ActionResult },
    errors: ['RATE_LIMITED'],
    handler: async (ctx, { body, request }) => {
      await requestPasswordReset(ctx, { email: body.email, request })
      return { success: true, message: t(RESET_MAILED) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/password/reset',
    operationId: 'resetPassword',
    tag,
    summary: 'Choose a new password with the token of the mail; ends all sessions',
    caller: 'anyone',
    body: ResetPasswordRequest,
    reply: { 200: ActionResult },
    errors: ['INVALID_TOKEN', 'WEAK_PASSWORD', 'RATE_LIMITED'],
    handler: async (ctx, { body, request }) => {
      await resetPassword(ctx, { ...body, request })
      return { success: true, message: t('Password reset successfully') }
    },
  }),
]

/** The same message whether or not the account exists. */
const RESET_MAILED = translatable('If there is an account with this address, a mail with a link is on its way.')
