import { t } from './translate.ts'

export const branding = {
  title: t('Branding'),
  lead: {
    application: t('How the sign-in pages look to people on their way to this application.'),
    tenant: t(
      'How pages look for people who enter this tenant. Members see it after sign-in. Sign-in and invitation pages show it once an administrator of this service has approved it.',
    ),
  },
  displayName: t('Name on the pages'),
  displayNameText: (name: string) => t('Leave it empty to show “{name}”.', { name }),
  color: t('Color'),
  colorText: t('For buttons and links.'),
  contrast: {
    enough: (light: string, dark: string, lighter: string | undefined) =>
      lighter === undefined
        ? t('Contrast: {light} : 1 in light mode, {dark} : 1 in dark mode.', { light, dark })
        : t('Contrast: {light} : 1 in light mode. Dark mode shows {lighter}, with {dark} : 1.', {
            light,
            lighter,
            dark,
          }),
    tooLittle: (ratio: string) => t('The contrast is {ratio} : 1. Text needs 4.5 : 1.', { ratio }),
    use: (color: string) => t('Use {color}', { color }),
  },
  theme: t('Look'),
  themes: {
    classic: { label: t('Classic'), text: t('A white card on a light gray page.') },
    soft: { label: t('Soft'), text: t('Round corners and buttons, on a page tinted with your color.') },
    crisp: { label: t('Crisp'), text: t('Square corners and strong lines, without shadows.') },
  },
  logo: t('Logo'),
  logoText: t('PNG, JPEG or WebP, at most 64 KiB and 1024 × 1024 pixels.'),
  chooseLogo: t('Choose a picture'),
  replaceLogo: t('Choose another'),
  removeLogo: t('Remove logo'),
  logoTooLarge: (kib: number) =>
    t('This picture has {kib} KiB, which is more than 64 KiB. Choose a smaller one.', { kib }),
  logoOfWrongType: t('Only PNG, JPEG and WebP pictures can be a logo.'),
  logoUnreadable: t('This file cannot be read. Choose another.'),
  reset: t('Remove branding'),
  resetQuestion: t('Remove the branding?'),
  resetText: {
    application: t('The pages get the default look again. Name, color and logo are deleted.'),
    tenant: t('The pages look like those of the application again. Name, color and logo are deleted.'),
  },
  wasReset: t('The branding was removed.'),
  preview: {
    title: t('Preview'),
    heading: t('Sign in'),
    email: t('Email'),
    password: t('Password'),
    action: t('Sign in'),
    forgot: t('Forgot your password?'),
  },
}
