import { connectionsPages } from './pages/connections.tsx'
import { dataPages } from './pages/data.tsx'
import { deletePages } from './pages/delete.tsx'
import { emailPages } from './pages/email.tsx'
import { homePages } from './pages/home.tsx'
import { languagePages } from './pages/language.ts'
import { mfaSetupPages } from './pages/mfa-setup.tsx'
import { passwordPages } from './pages/password.tsx'
import { profilePages } from './pages/profile.tsx'
import { securityPages } from './pages/security.tsx'
import { sessionsPages } from './pages/sessions.tsx'

/** The pages on which people manage their own account. */
export const accountPages = [
  ...homePages,
  ...profilePages,
  ...passwordPages,
  ...emailPages,
  ...securityPages,
  ...mfaSetupPages,
  ...sessionsPages,
  ...connectionsPages,
  ...dataPages,
  ...deletePages,
  ...languagePages,
]
