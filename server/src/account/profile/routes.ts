import { rememberLanguage } from '../../http/request/language-cookie.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { namesLanguage } from '../../http/server/language.ts'
import { getAccess } from './access.ts'
import { AccountAccess, Profile, UpdatedProfile, UpdateProfileRequest } from './schema.ts'
import { changeProfile, getOwnProfile } from './service.ts'

const common = { tag: 'My account', caller: 'person', path: '/api/users/me' } as const

export const profileRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'getMyProfile',
    summary: 'Shows your profile and the tenants you belong to',
    reply: { 200: Profile },
    allowsSupport: true,
    handler: (ctx, { caller }) => getOwnProfile(ctx, caller),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/users/me/access',
    operationId: 'getMyAccess',
    summary: 'Shows what you are on this instance and by which ways you may sign in',
    reply: { 200: AccountAccess },
    allowsSupport: true,
    handler: (ctx, { caller }) => getAccess(ctx, caller.userId),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    operationId: 'updateMyProfile',
    summary: 'Changes what you say about yourself; an empty name or address clears it',
    body: UpdateProfileRequest,
    reply: { 200: UpdatedProfile },
    handler: async (ctx, { caller, body, request, reply }) => {
      const profile = await changeProfile(ctx, { caller, request }, body)
      // Only browsers name a language or send the cookie. A program keeps no cookies.
      const isFromBrowser = caller.clientId === undefined || namesLanguage(request)
      if (body.locale !== undefined && isFromBrowser) rememberLanguage(ctx, reply, body.locale)
      return profile
    },
  }),
]
