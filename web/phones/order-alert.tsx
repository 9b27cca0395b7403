// An order that failed, said where it was given, in the sandbox's own words.

import { Text } from '@mantine/core';
import classes from './order-alert.module.css';

interface OrderAlertProps {
  error: Error | null;
  /** Default: red, for the background of the page. */
  className?: string | undefined;
}

export function OrderAlert({ error, className = classes.alert }: OrderAlertProps) {
  if (!error) return null;
  return (
    <Text size="xs" role="alert" className={className}>
      {error.message}
    </Text>
  );
}
