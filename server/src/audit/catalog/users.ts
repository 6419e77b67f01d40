import { Type } from 'typebox'
import {
  changeDetails,
  defineActions,
  Fields,
  Id,
  partialObject,
  SAMPLE_IDS,
  strictObject,
  withExample,
} from './definition.ts'

const Provider = strictObject({ provider: Type.String() })
const provider = { provider: 'GOOGLE' }
const Consent = strictObject({ applicationId: Id, scopes: Type.Array(Type.String()) })
const consent = { applicationId: '0197a2b0-7d5c-7000-8000-0000000000a1', scopes: ['openid', 'email'] }

export const userActions = defineActions({
  'user.registered': {
    summary: 'A user registered.',
    // With an invitation, with an SSO provider, or with neither.
    ...withExample(partialObject({ invitationId: Id, provider: Type.String() }), provider),
  },
  'user.registration_refused': {
    summary: 'A registration was attempted with the address of an existing account.',
  },
  'user.created': {
    summary: 'An operator created an account.',
    details: Type.Object({ after: Fields }, { additionalProperties: false }),
    example: {
      after: { superAdmin: false, passwordSignIn: true, emailVerified: true, hasPassword: true },
    },
  },
  'user.imported': {
    summary: 'An account was imported from another system.',
    ...withExample(
      strictObject({ emailVerified: Type.Boolean(), hasPassword: Type.Boolean(), disabled: Type.Boolean() }),
      { emailVerified: true, hasPassword: true, disabled: false },
    ),
  },
  'user.profile_changed': {
    summary: 'A user changed their profile.',
    ...withExample(strictObject({ fields: Type.Array(Type.String()) }), {
      fields: ['displayName', 'zoneinfo'],
    }),
  },
  'user.changed': {
    summary:
      'An operator changed an account. The details list all changed fields, but no values of profile fields such as names.',
    details: changeDetails({ fields: Type.Array(Type.String()) }),
    example: {
      fields: ['superAdmin', 'givenName'],
      before: { superAdmin: false },
      after: { superAdmin: true },
    },
  },
  'user.disabled': {
    summary: 'An operator disabled an account. All of its sessions and tokens ended immediately.',
  },
  'user.enabled': { summary: 'An operator enabled an account again.' },
  'user.password_changed': { summary: 'A user changed their password.' },
  'user.password_reset_requested': { summary: 'A password reset was requested.' },
  'user.sign_in_code_requested': { summary: 'A code to sign in was mailed to a user.' },
  'user.password_reset_forced': {
    summary: 'An operator forced a password reset. The old password is no longer valid.',
    details: Type.Object(
      {
        linkSent: Type.Boolean({ description: 'False if the account is disabled or may not sign in with a password' }),
      },
      { additionalProperties: false },
    ),
    example: { linkSent: true },
  },
  'user.password_reset': { summary: 'A user set a new password with a reset link.' },
  'user.email_verified': { summary: 'A user verified their address.' },
  'user.email_change_requested': { summary: 'A user requested a change of their address.' },
  'user.email_changed': { summary: 'A user changed their address.' },
  'user.totp_enabled': { summary: 'A user set up an authenticator app.' },
  'user.totp_disabled': { summary: 'A user removed their authenticator app.' },
  'user.recovery_codes_replaced': { summary: 'A user generated new recovery codes.' },
  'user.recovery_code_used': { summary: 'A user signed in with a recovery code.' },
  'user.passkey_added': {
    summary: 'A user added a passkey.',
    ...withExample(strictObject({ passkeyId: Id, backedUp: Type.Boolean() }), {
      passkeyId: SAMPLE_IDS.passkey,
      backedUp: true,
    }),
  },
  'user.passkey_removed': {
    summary: 'A user removed a passkey.',
    ...withExample(strictObject({ passkeyId: Id }), { passkeyId: SAMPLE_IDS.passkey }),
  },
  'user.mfa_reset': {
    summary: 'An operator removed all second factors of a user who lost them.',
    // The removed factors: an authenticator app, the number of passkeys and of unused recovery codes.
    ...withExample(strictObject({ totp: Type.Boolean(), passkeys: Type.Integer(), recoveryCodes: Type.Integer() }), {
      totp: true,
      passkeys: 1,
      recoveryCodes: 9,
    }),
  },
  'user.sso_linked': {
    summary: 'An account was linked to an account at an SSO provider.',
    ...withExample(strictObject({ provider: Type.String(), issuer: Type.String() }), {
      ...provider,
      issuer: 'https://accounts.google.com',
    }),
  },
  'user.sso_unlinked': {
    summary: 'The link to an SSO provider was removed.',
    ...withExample(Provider, provider),
  },
  'user.deletion_requested': { summary: 'A user requested the deletion of their account.' },
  'user.restored': { summary: 'An account was restored before it was erased.' },
  'user.erased': { summary: 'An account was permanently erased.' },
  'user.consented': {
    summary: 'A user gave consent to a third-party application.',
    ...withExample(Consent, consent),
  },
  'user.consent_withdrawn': {
    summary: 'The consent of a user to a third-party application was withdrawn, by the user or an operator.',
    ...withExample(Consent, consent),
  },
  'user.device_allowed': {
    summary: 'A user allowed the sign-in of a device without a browser.',
    ...withExample(Consent, consent),
  },
  'user.device_refused': {
    summary: 'A user refused the sign-in of a device without a browser.',
    ...withExample(Consent, consent),
  },
  'user.data_exported': { summary: 'A user exported their personal data.' },
})
