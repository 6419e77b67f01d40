import { Type } from 'typebox'
import { changed, defineKinds, Fields, facts, Id, SAMPLE, some, telling } from './kind.ts'

const Provider = facts({ provider: Type.String() })
const provider = { provider: 'GOOGLE' }
const Consent = facts({ applicationId: Id, scopes: Type.Array(Type.String()) })
const consent = { applicationId: '0197a2b0-7d5c-7000-8000-0000000000a1', scopes: ['openid', 'email'] }

export const userKinds = defineKinds({
  'user.registered': {
    says: 'Somebody made an account.',
    // By accepting an invitation, through an outside provider, or neither.
    ...telling(some({ invitationId: Id, provider: Type.String() }), provider),
  },
  'user.registration_refused': { says: 'Somebody tried to make an account with an address that has one.' },
  'user.created': {
    says: 'An operator made an account for somebody.',
    details: Type.Object({ after: Fields }, { additionalProperties: false }),
    example: {
      after: { superAdmin: false, passwordSignIn: true, emailVerified: true, hasPassword: true },
    },
  },
  'user.imported': {
    says: 'An account came from another system.',
    ...telling(
      facts({ emailVerified: Type.Boolean(), hasPassword: Type.Boolean(), disabled: Type.Boolean() }),
      { emailVerified: true, hasPassword: true, disabled: false },
    ),
  },
  'user.profile_changed': {
    says: 'Somebody changed their profile.',
    ...telling(facts({ fields: Type.Array(Type.String()) }), { fields: ['displayName', 'zoneinfo'] }),
  },
  'user.changed': {
    says: 'An operator changed an account. What somebody is called stands in none of its details.',
    details: changed({ fields: Type.Array(Type.String()) }),
    example: {
      ...{ fields: ['superAdmin', 'givenName'], before: { superAdmin: false }, after: { superAdmin: true } },
    },
  },
  'user.disabled': { says: 'An operator disabled an account: it ends every session and token at once.' },
  'user.enabled': { says: 'An operator enabled an account again.' },
  'user.password_changed': { says: 'Somebody changed their password.' },
  'user.password_reset_requested': { says: 'Somebody asked for a link to set a new password.' },
  'user.password_reset_forced': {
    says: 'An operator made somebody choose a new password: the old one is good no more.',
    details: Type.Object(
      { linkSent: Type.Boolean({ description: 'False: the account is disabled' }) },
      { additionalProperties: false },
    ),
    example: { linkSent: true },
  },
  'user.password_reset': { says: 'Somebody set a new password through a link.' },
  'user.email_verified': { says: 'Somebody confirmed their address.' },
  'user.email_change_requested': { says: 'Somebody asked to change their address.' },
  'user.email_changed': { says: 'Somebody changed their address.' },
  'user.totp_enabled': { says: 'Somebody set up an authenticator app.' },
  'user.totp_disabled': { says: 'Somebody removed their authenticator app.' },
  'user.recovery_codes_replaced': { says: 'Somebody made new recovery codes.' },
  'user.recovery_code_used': { says: 'Somebody signed in with a recovery code.' },
  'user.passkey_added': {
    says: 'Somebody added a passkey.',
    ...telling(facts({ passkeyId: Id, backedUp: Type.Boolean() }), {
      passkeyId: SAMPLE.passkey,
      backedUp: true,
    }),
  },
  'user.passkey_removed': {
    says: 'Somebody removed a passkey.',
    ...telling(facts({ passkeyId: Id }), { passkeyId: SAMPLE.passkey }),
  },
  'user.mfa_reset': {
    says: 'An operator took away all second factors of somebody who has lost them.',
    // What there was: an app, so many passkeys, and so many codes left.
    ...telling(facts({ totp: Type.Boolean(), passkeys: Type.Integer(), recoveryCodes: Type.Integer() }), {
      ...{ totp: true, passkeys: 1, recoveryCodes: 9 },
    }),
  },
  'user.sso_linked': {
    says: 'An account was linked with one at an outside provider.',
    ...telling(facts({ provider: Type.String(), issuer: Type.String() }), {
      ...provider,
      issuer: 'https://accounts.google.com',
    }),
  },
  'user.sso_unlinked': {
    says: 'The link to an outside provider was removed.',
    ...telling(Provider, provider),
  },
  'user.deletion_requested': { says: 'Somebody asked for their account to be deleted.' },
  'user.restored': { says: 'An account was taken back before it was erased.' },
  'user.erased': { says: 'An account was erased for good.' },
  'user.consented': {
    says: 'Somebody allowed an application of others something.',
    ...telling(Consent, consent),
  },
  'user.consent_withdrawn': {
    says: 'Somebody took back what they had allowed an application of others.',
    ...telling(Consent, consent),
  },
  'user.data_exported': { says: 'Somebody fetched their personal data.' },
})
