import { defineRoute } from '../../http/define-route.ts'
import { getAccess } from './access.ts'
import { Access, ChangedProfile, Profile, ProfileChange } from './schema.ts'
import { changeProfile, getProfile } from './service.ts'

const common = { tag: 'My account', caller: 'person', path: '/api/users/me' } as const

export const profileRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    summary: 'Shows your profile and the tenants you belong to',
    reply: { 200: Profile },
    handler: (ctx, { caller }) => getProfile(ctx, caller.userId),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/users/me/access',
    summary: 'Shows what you are on this instance and by which ways you may sign in',
    reply: { 200: Access },
    handler: (ctx, { caller }) => getAccess(ctx, caller.userId),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    summary: 'Changes what you say about yourself; an empty name or address clears it',
    body: ProfileChange,
    reply: { 200: ChangedProfile },
    handler: (ctx, { caller, body, request }) => changeProfile(ctx, { caller, request }, body),
  }),
]
