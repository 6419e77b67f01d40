/**
 * The kinds of mail, each with the variables that its texts may use besides those of every mail. Where an edited text
 * names another variable, it is refused.
 */
export const MAIL_KINDS = {
  'verify-email': ['validity'],
  'account-exists': [],
  'password-reset': ['validity'],
  'sign-in-code': ['code', 'validity'],
  'password-ended': ['validity'],
  'first-password': ['validity'],
  'confirm-new-email': ['validity'],
  'address-taken': [],
  invitation: ['tenant', 'inviter', 'expires'],
  'tenant-suspended': ['tenant'],
  'tenant-reactivated': ['tenant'],
  'support-access-allowed': ['tenant', 'actor'],
  'support-access': ['tenant', 'operator'],
  'tenant-support-access': ['tenant', 'operator', 'member'],
  'webhook-disabled': ['tenant'],
  'instance-webhook-disabled': [],
  'super-admin': [],
  // Notices of changes to an account.
  'password-changed': [],
  'password-was-reset': [],
  'email-changed': [],
  'email-change-requested': [],
  'totp-enabled': [],
  'totp-disabled': [],
  'recovery-codes-replaced': [],
  'recovery-code-used': [],
  'passkey-added': [],
  'passkey-removed': [],
  'sso-linked': [],
  'sso-unlinked': [],
  'new-device': [],
  'device-allowed': [],
  'deletion-requested': [],
  restored: [],
  disabled: [],
  enabled: [],
  'mfa-reset': [],
  'sessions-ended': [],
  'deletion-ordered': [],
  'restored-by-administrator': [],
} as const satisfies Record<string, readonly string[]>

export type MailKind = keyof typeof MAIL_KINDS

/** The variables of every mail: the name that the mail is sent under, and the address of the recipient. */
export const COMMON_VARIABLES = ['application', 'email'] as const

export type MailVariable = (typeof MAIL_KINDS)[MailKind][number] | (typeof COMMON_VARIABLES)[number]

export const listVariables = (kind: MailKind): readonly MailVariable[] => [...COMMON_VARIABLES, ...MAIL_KINDS[kind]]

export const isMailKind = (text: string): text is MailKind => Object.hasOwn(MAIL_KINDS, text)

export const listMailKinds = (): MailKind[] => Object.keys(MAIL_KINDS).filter(isMailKind)

/**
 * The kinds that may belong to a tenant, so that the tenant may edit their texts. The mails of a sign-up go to any
 * address, so they are not among them.
 */
export const TENANT_MAIL_KINDS = [
  'invitation',
  'password-reset',
  'new-device',
  'device-allowed',
  'webhook-disabled',
] as const satisfies MailKind[]

/**
 * The kinds that their readers cause themselves by a request, so that its language is theirs. A sign-in is not among them:
 * somebody else who signs in must not choose a language that the owner of the account cannot read.
 */
export const REQUESTED_KINDS: readonly MailKind[] = [
  'verify-email',
  'account-exists',
  'password-reset',
  'sign-in-code',
  'confirm-new-email',
  'password-changed',
  'password-was-reset',
  'email-changed',
  'email-change-requested',
  'totp-enabled',
  'totp-disabled',
  'recovery-codes-replaced',
  'passkey-added',
  'passkey-removed',
  'sso-linked',
  'sso-unlinked',
  'device-allowed',
  'deletion-requested',
  'restored',
]

/** Variables whose values people choose: texts show them in quotation marks. */
export const NAME_VARIABLES: readonly MailVariable[] = ['tenant', 'inviter', 'operator', 'member', 'actor']
