/** For changes that a form makes: it shows by itself why they were refused. */
export const shownInForm = { onProblem: () => true }

/** The password where it was asked for. */
export const withPassword = (password: string | undefined): { password?: string } =>
  password === undefined ? {} : { password }
