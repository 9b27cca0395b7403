// AdminService: what the people who run a deployment do to it. The operations are in the files beside this one, by what they are about.

import { AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { type AdministratorsOptions, administratorHandlers } from './administrators.ts';

export type AdminServiceOptions = AdministratorsOptions;

export function adminService(options: AdminServiceOptions): RegisteredService {
  return service(AdminService, { ...administratorHandlers(options) });
}
