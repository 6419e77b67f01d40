export const branding = {
  title: 'Branding',
  lead: {
    application: 'How the sign-in pages look to people on their way to this application.',
    tenant:
      'How pages look for people on their way into this tenant: after the sign-in to its members, and on sign-in and invitation pages once whoever runs this service has approved it.',
  },
  displayName: 'Name on the pages',
  displayNameText: (name: string) => `Leave it empty to show “${name}”.`,
  color: 'Color',
  colorText: 'Buttons and links. Pages make it lighter or darker where it could not be read.',
  logo: 'Logo',
  logoText: 'PNG, JPEG or WebP, at most 64 KiB and 1024 × 1024 pixels.',
  chooseLogo: 'Choose a picture',
  replaceLogo: 'Choose another',
  removeLogo: 'Remove logo',
  logoTooLarge: (kib: number) =>
    `This picture has ${kib} KiB, which is more than 64 KiB. Choose a smaller one.`,
  logoOfWrongType: 'Only PNG, JPEG and WebP pictures can be a logo.',
  logoUnreadable: 'This file cannot be read. Choose another.',
  reset: 'Remove branding',
  resetQuestion: 'Remove the branding?',
  resetText: {
    application: 'The pages look plain again. Name, color and logo are gone.',
    tenant: 'The pages look like those of the application again. Name, color and logo are gone.',
  },
  wasReset: 'The branding was removed.',
  preview: {
    title: 'Preview',
    heading: 'Sign in',
    email: 'Email',
    password: 'Password',
    action: 'Sign in',
    forgot: 'Forgot your password?',
  },
}
