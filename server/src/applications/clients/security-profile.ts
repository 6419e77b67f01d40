import type { ClientKind } from '../../db/tables.ts'
import type { FieldProblem } from '../../errors.ts'
import { t, translatable } from '../../languages/translate.ts'
import { checkField } from '../../lib/field-validation.ts'
import type { SigningAlgorithm } from '../../lib/signer.ts'
import type { ClientSettings } from './rules.ts'

/**
 * The FAPI 2.0 Security Profile as one setting of a client. It sets what the profile requires (§5.3.2), and nothing else
 * is accepted afterwards. The rest is enforced at run time: PKCE, no RS256, no rotation of refresh tokens.
 */

type Implied = Partial<ClientSettings>

const KEY_AND_PROOF = { tokenEndpointAuthMethod: 'private_key_jwt', requireDpop: true } as const

const FAPI2: Record<ClientKind, Implied> = {
  SPA: {},
  WEB: { ...KEY_AND_PROOF, requirePushedRequests: true, pkceMethods: ['S256'], deviceFlow: false },
  MACHINE: KEY_AND_PROOF,
}

/** The settings that follow from the profile of a client. */
export const impliedSettings = (
  kind: ClientKind,
  { securityProfile }: Pick<Partial<ClientSettings>, 'securityProfile'>,
): Implied => (securityProfile === 'FAPI2' ? FAPI2[kind] : {})

/** What contradicts the profile. */
export function profileProblems(kind: ClientKind, settings: ClientSettings): (FieldProblem | undefined)[] {
  if (settings.securityProfile !== 'FAPI2') return []
  if (kind === 'SPA') return [{ field: 'securityProfile', message: t('must be NONE: an SPA cannot authenticate') }]
  const contradictions = Object.entries(impliedSettings(kind, settings)).map(([field, value]) =>
    checkField(
      String(settings[field as keyof ClientSettings]) === String(value),
      field,
      t('must be {value}, as the security profile FAPI2 requires', { value: String(value) }),
    ),
  )
  const keys = (settings.jwks?.keys ?? []).map(({ alg }, index) =>
    checkField(alg !== 'RS256', `jwks.keys.${index}`, t('must be for PS256, ES256 or EdDSA, as FAPI2 requires')),
  )
  return [...contradictions, ...keys]
}

export const ALGORITHM_RULE = translatable('must be PS256, ES256 or EdDSA: a client has the security profile FAPI2')

/** FAPI 2.0 §5.4.1: tokens are not signed with RS256. */
export const applicationProblem = (
  { securityProfile }: Pick<ClientSettings, 'securityProfile'>,
  algorithm: SigningAlgorithm | undefined,
): FieldProblem | undefined =>
  checkField(
    securityProfile !== 'FAPI2' || algorithm !== 'RS256',
    'securityProfile',
    t('needs an application with the signingAlgorithm PS256, ES256 or EdDSA'),
  )
