import { t } from '../translate.ts'
import type { Kind, Library } from './library.ts'
import { SIGN_IN_LIBRARIES } from './sign-in.ts'
import { SOFTWARE_AND_APIS } from './software.ts'

/** Everything that the guide offers, grouped. */
export const LIBRARIES: Library[] = [...SIGN_IN_LIBRARIES, ...SOFTWARE_AND_APIS]

/** What the groups are called. */
export const GROUP_NAMES: Record<Library['group'], string> = {
  Browser: t('Browser'),
  'Node.js': 'Node.js',
  Python: 'Python',
  'Other languages': t('Other languages'),
  Mobile: t('Mobile'),
  'Ready-made software': t('Ready-made software'),
  APIs: t('APIs'),
  Machines: t('Machines'),
}

const DEFAULTS: Record<Kind, string> = { SPA: 'oauth4webapi', WEB: 'openid-client', MACHINE: 'fetch' }

export function findLibrary(id: string | null | undefined): Library | undefined {
  return LIBRARIES.find((library) => library.id === id)
}

/** The library whose snippet is shown until a person chooses one. */
export const defaultLibrary = (kind: Kind): Library | undefined => findLibrary(DEFAULTS[kind])

/** Whether a client of this library can require a nonce. */
export const sendsNonce = ({ nonce }: Library): boolean => nonce === 'always' || nonce === 'configured'
