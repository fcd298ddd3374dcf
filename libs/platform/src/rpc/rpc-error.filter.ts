import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** Passes errors on unchanged to the RPC server; Nest's own filter would lose their codes. */
@Catch()
export class RpcErrorFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
