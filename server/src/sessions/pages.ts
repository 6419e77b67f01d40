import { emailCodePages } from './pages/email-code.tsx'
import { loginPages } from './pages/login.tsx'
import { mfaPages } from './pages/mfa.tsx'
import { passwordResetPages } from './pages/password-reset.tsx'
import { restorePages } from './pages/restore.tsx'
import { signUpPages } from './pages/sign-up.tsx'
import { verifyEmailPages } from './pages/verify-email.tsx'
import { waitingPages } from './pages/waiting.tsx'

export const sessionPages = [
  ...loginPages,
  ...emailCodePages,
  ...mfaPages,
  ...restorePages,
  ...signUpPages,
  ...passwordResetPages,
  ...verifyEmailPages,
  ...waitingPages,
]
