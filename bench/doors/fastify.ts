// The reference for REST: a Fastify route that does nothing but parse its JSON and answer.

import fastify from 'fastify';
import { answerJson, path } from './protocol.ts';

const server = fastify();
server.post(path, () => answerJson);
const address = await server.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ httpPort: Number(new URL(address).port), grpcPort: 0 });
