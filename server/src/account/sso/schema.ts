import { Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'

const Absent = Type.Null()

const SsoLink = Type.Object(
  {
    provider: Type.String({ description: 'GOOGLE, MICROSOFT, or another name that the operator has chosen' }),
    email: Type.Union([Type.String(), Absent]),
    displayName: Type.Union([Type.String(), Absent]),
    avatarUrl: Type.Union([Type.String(), Absent]),
    linkedAt: Timestamp,
    lastUsedAt: Timestamp,
  },
  { title: 'SsoLink' },
)

export const SsoLinks = Type.Object({ links: Type.Array(SsoLink) }, { title: 'SsoLinks' })

export const SsoLinkRequest = Type.Object(
  {
    provider: Type.String({ maxLength: 100, description: 'In any letter case' }),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description: 'Where to go afterwards: an address here, or a redirect URI of some client',
      }),
    ),
    password: Type.Optional(
      Type.String({ maxLength: 4096, description: 'Needed when the sign-in is more than an hour old' }),
    ),
  },
  { title: 'SsoLinkRequest' },
)

export const SsoLinkResponse = Type.Object(
  { url: Type.String({ description: 'Send the person there; they come back by themselves' }) },
  { title: 'SsoLinkResponse' },
)

export const SsoProviderName = Type.Object({ provider: Type.String() })
