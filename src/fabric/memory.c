/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - memory that the provider wants to know of: what peers may read
 * and write, and the local buffers of operations.
 *
 * A registration is of pages, not of addresses, and there is no telling when
 * the program's memory gets other pages: it is not kept beyond its use.  So
 * libfabric is not to keep it either; test/remapped.c, test/renewed.c.
 */
#include "fabric.h"

#include <errno.h>
#include <sys/random.h>

/* Keys that happen to be taken. */
#define TRIES 8

static int random_key(uint64_t *key)
{
	uint64_t bits;

	if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
		return -EIO;
	if (orl_endpoint.key_size < sizeof(bits))
		bits &= (UINT64_C(1) << 8 * orl_endpoint.key_size) - 1;
	*key = bits;
	return 0;
}

static int reg(void *addr, size_t len, struct fid_mr **mr)
{
	uint64_t access = FI_REMOTE_READ | FI_REMOTE_WRITE, key = 0;
	int rc = -FI_ENOKEY;

	for (int i = 0; i < TRIES && rc == -FI_ENOKEY; i++) {
		if (!(orl_endpoint.mr_mode & FI_MR_PROV_KEY))
			rc = random_key(&key);
		if (rc != -EIO)
			rc = fi_mr_reg(orl_endpoint.domain, addr, len, access,
				       0, key, orl_endpoint.mr_flags, mr, NULL);
	}
	return rc;
}

/* Some providers want to know at which endpoint it may be used. */
static int enable(struct fid_mr *mr)
{
	int rc;

	if (!(orl_endpoint.mr_mode & FI_MR_ENDPOINT))
		return 0;
	rc = fi_mr_bind(mr, &orl_endpoint.ep->fid, 0);
	return rc ? rc : fi_mr_enable(mr);
}

int orl_mr_open(void *addr, size_t len, struct orl_mr *mr)
{
	struct fid_mr *fid;
	int rc = reg(addr, len, &fid);

	if (rc)
		return rc;
	rc = enable(fid);
	if (rc) {
		fi_close(&fid->fid);
		return rc;
	}
	mr->handle = fid;
	mr->key = fi_mr_key(fid);
	mr->base = orl_fabric.by_address ? (uintptr_t)addr : 0;
	return 0;
}

void orl_mr_close(struct orl_mr *mr)
{
	fi_close(&((struct fid_mr *)mr->handle)->fid);
	mr->handle = NULL;
}

int orl_local_open(struct orl_endpoint *endpoint, const void *buf, size_t len,
		   uint64_t access, struct fid_mr **mr)
{
	*mr = NULL;
	if (!(endpoint->mr_mode & FI_MR_LOCAL))
		return 0;
	return fi_mr_reg(endpoint->domain, buf, len, access, 0, 0,
			 endpoint->mr_flags, mr, NULL);
}

int orl_local_refuse_cache(struct orl_endpoint *endpoint, const void *page)
{
	struct fid_mr *first, *second;
	int rc;

	if (!endpoint->mr_flags)
		return 0;
	rc = orl_local_open(endpoint, page, 1, FI_SEND, &first);
	if (rc || !first)
		return rc;
	rc = orl_local_open(endpoint, page, 1, FI_SEND, &second);
	if (!rc) {
		if (fi_mr_key(first) == fi_mr_key(second))
			rc = -FI_EOPNOTSUPP;
		fi_close(&second->fid);
	}
	fi_close(&first->fid);
	return rc;
}
