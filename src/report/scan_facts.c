/* SPDX-License-Identifier: Apache-2.0 */
/* See scan_facts.h. */
#include "report/scan_facts.h"

#include <stdio.h>

#include "text.h"

double lod_scan_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

bool lod_scan_number_at(const cJSON *object, const char *key, int index, double *ret_number)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, key), index);

    if (!cJSON_IsNumber(item)) {
        return false;
    }
    *ret_number = item->valuedouble;
    return true;
}

const char *lod_scan_name(const cJSON *class, char text[LOD_SCAN_NAME_BYTES])
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(class, "script"));

    lod_format(text, LOD_SCAN_NAME_BYTES, "%pE", name ? name : "?");
    return text;
}

void lod_scan_reach(const cJSON *class, double wanted, char text[LOD_REPORT_TEXT])
{
    double mssim, bytes;

    snprintf(text, LOD_REPORT_TEXT, "-");
    for (int i = 0; i < LOD_SCAN_GROUPS; i++) {
        if (lod_scan_number_at(class, "mssim", i, &mssim) && mssim >= wanted &&
            lod_scan_number_at(class, "bytes", i, &bytes)) {
            snprintf(text, LOD_REPORT_TEXT, "q%d (%.1f %%)", i + 1, 100 * bytes);
            return;
        }
    }
}
