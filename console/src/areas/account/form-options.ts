/** Options for mutations whose errors the form shows. */
export const inlineErrors = { onError: () => true }

/** The password field of a request body, if the user entered one. */
export const toPasswordField = (password: string | undefined): { password?: string } =>
  password === undefined ? {} : { password }
