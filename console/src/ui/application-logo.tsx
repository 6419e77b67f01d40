import { Avatar } from '@mantine/core'

interface ApplicationLogoProps {
  /** The path of the logo; null: the application has none. */
  url: string | null
  name: string
  size?: number
}

/** The logo of an application, or its first letters. The name of the application is next to it. */
export const ApplicationLogo = ({ url, name, size = 36 }: ApplicationLogoProps) => (
  <Avatar
    aria-hidden
    src={url}
    name={name}
    color="initials"
    radius="md"
    size={size}
    imageProps={{ style: { objectFit: 'contain' } }}
  />
)
