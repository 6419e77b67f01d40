import { SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A list of names and values. */
export const Facts = ({ facts }: { facts: [name: string, value: ReactNode][] }) => (
  <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} m={0} spacing="md" verticalSpacing="md">
    {facts.map(([name, value]) => (
      <div key={name}>
        <Text component="dt" size="xs" c="dimmed">
          {name}
        </Text>
        <Text component="dd" size="sm" m={0}>
          {value}
        </Text>
      </div>
    ))}
  </SimpleGrid>
)
