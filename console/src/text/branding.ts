export const branding = {
  title: 'Branding',
  lead: {
    application: 'How the sign-in pages look to people on their way to this application.',
    tenant:
      'How pages look for people who enter this tenant. Members see it after sign-in. Sign-in and invitation pages show it once an administrator of this service has approved it.',
  },
  displayName: 'Name on the pages',
  displayNameText: (name: string) => `Leave it empty to show “${name}”.`,
  color: 'Color',
  colorText: 'For buttons and links.',
  contrast: {
    enough: (light: string, dark: string, lighter: string | undefined) =>
      lighter === undefined
        ? `Contrast: ${light} : 1 in light mode, ${dark} : 1 in dark mode.`
        : `Contrast: ${light} : 1 in light mode. Dark mode shows ${lighter}, with ${dark} : 1.`,
    tooLittle: (ratio: string) => `The contrast is ${ratio} : 1. Text needs 4.5 : 1.`,
    use: (color: string) => `Use ${color}`,
  },
  theme: 'Look',
  themes: {
    classic: { label: 'Classic', text: 'A white card on a light gray page.' },
    soft: { label: 'Soft', text: 'Round corners and buttons, on a page tinted with your color.' },
    crisp: { label: 'Crisp', text: 'Square corners and strong lines, without shadows.' },
  },
  logo: 'Logo',
  logoText: 'PNG, JPEG or WebP, at most 64 KiB and 1024 × 1024 pixels.',
  chooseLogo: 'Choose a picture',
  replaceLogo: 'Choose another',
  removeLogo: 'Remove logo',
  logoTooLarge: (kib: number) => `This picture has ${kib} KiB, which is more than 64 KiB. Choose a smaller one.`,
  logoOfWrongType: 'Only PNG, JPEG and WebP pictures can be a logo.',
  logoUnreadable: 'This file cannot be read. Choose another.',
  reset: 'Remove branding',
  resetQuestion: 'Remove the branding?',
  resetText: {
    application: 'The pages get the default look again. Name, color and logo are deleted.',
    tenant: 'The pages look like those of the application again. Name, color and logo are deleted.',
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
